/* <nb-palette>: search over the page, as a modal dialog: a field, results by note, the section beside them.
   Words: data-recent, data-hint, data-none, data-corrected, data-titles-only, data-offline, data-unavailable,
   data-count, data-count-one-note, data-count-one, data-best. */
import { STRIP_HEIGHT, STRIP_WIDTH, stripPath } from "../identity/strip.js";
import { thisSite } from "../knowledge/this-site.js";
import { Search } from "../search/search.js";
import { Highlights } from "./highlights.js";
import { showPreview } from "./preview.js";
import { Recent } from "./recent.js";
import { ResultList } from "./result-list.js";
import { noteGroup, recentGroup, waitingGroup } from "./results.js";
import { noteByTitle, readNote } from "./sections.js";
import { readTyped } from "./typed.js";

const PAUSE_MS = 90; // after the last key, before a search begins
const PATIENCE_MS = 150; // before waiting is shown
const NO_HIGHLIGHTS = new Highlights([]);
const TEXTS = 5; // read at once; those of further notes when they come into view

export class PaletteElement extends HTMLElement {
  #life;
  #search = new Search(thisSite);
  #recent = new Recent(thisSite.root);
  #list;
  #wait = new AbortController();
  #pause;
  #seen;
  #shown = new Map(); // what options stand for, by their ids
  #highlights = NO_HIGHLIGHTS;

  connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    this.#list = new ResultList(this.#part(".hits"), this.#field, this.#chosen);
    const listen = (target, name, heard) => target.addEventListener(name, heard, { signal });
    listen(this.#field, "input", this.#typed);
    listen(this.#field, "compositionend", this.#typed);
    listen(this.#field, "keydown", this.#pressed);
    listen(this.#part(".look"), "keydown", this.#pressedInPreview);
    listen(this.#part(".hits"), "pointermove", this.#pointed);
    listen(this.#dialog, "click", this.#clicked);
    listen(this.#dialog, "close", this.#closed);
  }

  disconnectedCallback() {
    this.#life.abort();
    this.#dialog.close();
  }

  /** @param {string} [typed] what to search for; without it what was typed last stands, selected */
  open(typed) {
    if (!this.#dialog.open) this.#dialog.showModal();
    if (typed !== undefined) this.#field.value = typed;
    this.#field.focus();
    this.#field.select();
    this.#search.prepare();
    this.#showRevision();
    this.#run();
  }

  get #dialog() {
    return this.querySelector("dialog");
  }

  get #field() {
    return this.querySelector("input");
  }

  #part(selector) {
    return this.querySelector(selector);
  }

  #typed = ({ isComposing, type }) => {
    if (isComposing && type !== "compositionend") return;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#run(), PAUSE_MS);
  };

  #closed = () => {
    clearTimeout(this.#pause);
    this.#wait.abort();
    this.#seen?.disconnect();
  };

  async #run() {
    clearTimeout(this.#pause);
    this.#wait.abort();
    this.#wait = new AbortController();
    const { signal } = this.#wait;
    const { question, filters } = readTyped(this.#field.value);
    if (question === "") return this.#showRecent();
    const language = this.#part(".seg [aria-pressed=true]")?.dataset.language;
    const patience = setTimeout(() => this.#showWaiting(), PATIENCE_MS);
    try {
      const options = { filters: { ...filters, language }, typing: true };
      const report = await this.#search.find(question, options, signal);
      const answer = { report, highlights: new Highlights(report.terms), signal };
      const notes = await Promise.all(report.hits.slice(0, TEXTS).map((hit) => noteOf(hit, answer)));
      signal.throwIfAborted();
      this.#show(question, answer, notes);
    } catch {
      if (!signal.aborted) this.#say(this.dataset.unavailable, "SEARCH_UNAVAILABLE");
    } finally {
      clearTimeout(patience);
    }
  }

  #show(question, answer, notes) {
    const { hits, matched, corrections, degraded } = answer.report;
    this.#highlights = answer.highlights;
    if (hits.length === 0) this.#say(this.dataset.none.replace("{words}", () => question.trim()));
    else this.#settle();
    this.#shown.clear();
    const groups = hits.map((hit, number) => this.#group(hit, notes[number], number, number < TEXTS));
    this.#list.show(groups.filter(Boolean));
    this.#watch(answer);
    this.#banner(this.#notices(corrections, degraded));
    this.#count(matched, hits.length);
  }

  /* read: whether the text was read; without it a place is kept, or none where reading failed. */
  #group(hit, note, number, read) {
    const prefix = `nb-hit-${number}`;
    const given = { root: thisSite.root, prefix, highlights: this.#highlights };
    if (!note) return read ? undefined : waitingGroup(hit, given);
    note.sections.forEach((section, place) => this.#shown.set(`${prefix}-${place}`, { note, section }));
    return noteGroup(note, given);
  }

  /* Texts of further notes are read when their places come into view. */
  #watch(answer) {
    this.#seen?.disconnect();
    this.#seen = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (!isIntersecting) continue;
          this.#seen.unobserve(target);
          this.#fill(target, answer);
        }
      },
      { root: this.#part(".hits") },
    );
    for (const option of this.querySelectorAll(".hit.skeleton")) this.#seen.observe(option);
  }

  async #fill(option, answer) {
    const { hits, matched } = answer.report;
    const number = Number(option.id.split("-")[2]);
    const note = await noteOf(hits[number], answer);
    if (answer.signal.aborted) return;
    const place = option.closest("[role=group]");
    const filled = this.#group(hits[number], note, number, true);
    if (filled) this.#list.replace(place, filled);
    else place.remove();
    this.#count(matched, hits.length);
  }

  #showWaiting() {
    const list = this.#part(".hits");
    list.ariaBusy = "true";
    if (!list.hidden) return;
    this.#part(".said").hidden = true;
    this.#part(".waiting").hidden = false;
  }

  /* The list speaks for itself. */
  #settle() {
    this.#part(".waiting").hidden = true;
    this.#part(".said").hidden = true;
    this.#part(".hits").ariaBusy = "false";
  }

  #say(text, code = "") {
    this.#settle();
    this.#list.show([]);
    this.#banner([]);
    const said = this.#part(".said");
    said.replaceChildren(text);
    if (code) said.append(" ", Object.assign(document.createElement("code"), { textContent: code }));
    said.hidden = false;
    this.#part(".count").textContent = "";
  }

  #showRecent() {
    const opened = this.#recent.list();
    if (opened.length === 0) return this.#say(this.dataset.hint);
    this.#settle();
    this.#banner([]);
    this.#shown.clear();
    this.#highlights = NO_HIGHLIGHTS;
    const given = { root: thisSite.root, prefix: "nb-opened", label: this.dataset.recent };
    this.#list.show([recentGroup(opened, given)]);
    this.#part(".count").textContent = "";
  }

  #notices(corrections, degraded) {
    const { corrected, titlesOnly, offline } = this.dataset;
    return [
      ...(degraded ? [titlesOnly] : []),
      ...(thisSite.offline ? [offline] : []),
      ...corrections.map(({ typed, used }) =>
        corrected.replace(/\{typed\}|\{used\}/g, (place) => (place === "{typed}" ? typed : used)),
      ),
    ];
  }

  #banner(notices) {
    const banner = this.#part(".banner");
    banner.hidden = notices.length === 0;
    banner.querySelector("span").textContent = notices.join(" ");
  }

  #count(matched, hits) {
    const { count, countOneNote, countOne, best } = this.dataset;
    const sections = this.#list.options.length;
    const form = matched > hits ? best : sections === 1 ? countOne : hits === 1 ? countOneNote : count;
    const language = document.documentElement.lang || undefined;
    const values = { "{sections}": sections, "{notes}": hits, "{n}": hits, "{all}": matched };
    const said = form.replace(/\{\w+\}/g, (place) => values[place].toLocaleString(language));
    this.#part(".count").textContent = hits > 0 ? said : "";
  }

  #chosen = (option) => {
    const known = option && this.#shown.get(option.id);
    const pane = this.#part(".look");
    pane.hidden = !known;
    if (known) showPreview(pane, known.note, known.section, this.#highlights);
  };

  #pointed = ({ target }) => {
    const option = target.closest("[role=option]");
    if (option) this.#list.choose(option, false);
  };

  #pressed = (event) => {
    const { key, isComposing, keyCode } = event;
    if (isComposing || keyCode === 229) return; // an input method takes the key
    const field = this.#field;
    if (key === "ArrowDown" || key === "ArrowUp") this.#list.move(key === "ArrowDown" ? 1 : -1);
    else if (key === "Enter") this.#openActive(event);
    else if (key === "ArrowRight" && field.selectionEnd === field.value.length && this.#previewIsShown()) {
      this.#part(".look").focus();
    } else return;
    event.preventDefault();
  };

  #pressedInPreview = (event) => {
    if (event.key !== "ArrowLeft") return;
    event.preventDefault();
    this.#field.focus();
  };

  #previewIsShown() {
    return this.#part(".look").checkVisibility();
  }

  /* As a press on the link itself, so that it opens as the browser opens links. */
  #openActive({ ctrlKey, metaKey, shiftKey }) {
    if (!ctrlKey && !metaKey) this.#list.active?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey }));
  }

  #clicked = (event) => {
    const { target } = event;
    const option = target.closest("a[role=option]");
    const language = target.closest(".seg button");
    // The dialog itself is hit only through its backdrop: its content covers it.
    if (target === this.#dialog || target.closest("[data-closes]")) this.#dialog.close();
    else if (option) this.#opened(option, event);
    else if (language) this.#chooseLanguage(language);
  };

  #opened(option, { ctrlKey, metaKey, shiftKey }) {
    const known = this.#shown.get(option.id);
    if (known) {
      const { note, section } = known;
      const { title, url, language } = note;
      this.#recent.add({ title, section: section.title, url, anchor: section.anchor, language });
    }
    if (!ctrlKey && !metaKey && !shiftKey) this.#dialog.close();
  }

  #chooseLanguage(button) {
    for (const other of this.querySelectorAll(".seg button")) {
      other.setAttribute("aria-pressed", String(other === button));
    }
    this.#field.focus();
    this.#run();
  }

  async #showRevision() {
    const place = this.#part(".pal-foot .hash");
    try {
      const { revision } = await thisSite.manifest();
      place.querySelector("path").setAttribute("d", stripPath(revision));
      place.querySelector("span").textContent = revision.slice(0, 8);
      place.querySelector("svg").setAttribute("viewBox", `0 0 ${STRIP_WIDTH} ${STRIP_HEIGHT}`);
      place.hidden = false;
    } catch {
      place.hidden = true;
    }
  }
}

/* A note by its hit; undefined where neither its text nor its row in the tree could be read. */
function noteOf(hit, { report, highlights, signal }) {
  const worth = (token) => report.weights.get(token) ?? 1;
  return readNote(thisSite, hit, { highlights, worth }, signal).catch(() => noteByTitle(hit));
}
