/* The twin of the picture in words: its groups, one group, one note with its links and their sentences, what was
   found. Each view replaces the one before, and what that still waited for goes unused. */
import { linkingSentence } from "../backlinks/linking-sentence.js";
import { pageAddress } from "../knowledge/addresses.js";
import { thisSite } from "../knowledge/this-site.js";
import { element } from "../note-list.js";
import { readDoc } from "../search/search-base.js";
import { linkedIds } from "./network.js";

const TITLES = 40; // of notes in a list without sentences
const SENTENCES = 8; // of links in a list with them

export class Facet {
  #host;
  #body;
  #words;
  #actions;
  #view = new AbortController();

  /** @type {import("./network.js").Network} */
  network;

  /**
   * @param {HTMLElement} host  @param {DOMStringMap} words
   * @param {{choose: (ordinal: number) => void, group: (number: number) => void}} actions
   */
  constructor(host, words, actions) {
    this.#host = host;
    this.#body = host.querySelector(".facet-body");
    this.#words = words;
    this.#actions = actions;
  }

  showGroups() {
    const { groups } = this.network;
    const parts = [element("h2", "cap", this.#words.groups)];
    const list = element("ul", "list");
    groups.forEach(({ label, terms, members }, number) => {
      const item = element("li");
      const button = this.#button(label, () => this.#actions.group(number));
      button.append(element("span", "n", String(members.length)));
      item.append(button, element("p", "", terms.slice(0, 4).join(this.#words.comma)));
      list.append(item);
    });
    this.#replace(groups.length > 0 ? [...parts, list] : [element("p", "hint", this.#words.none)]);
  }

  async showGroup(number) {
    const { label, terms, members } = this.network.groups[number];
    const head = [this.#back(), element("h2", "", label), element("p", "prov", this.#count(members.length))];
    if (terms.length > 0) head.push(element("p", "terms", terms.join(this.#words.comma)));
    const list = element("ul", "list plain");
    const signal = this.#replace([...head, list], label);
    await this.#titles(list, this.network.byDegree(members), signal);
  }

  async showOrphans() {
    const orphans = [];
    for (let ordinal = 0; ordinal < this.network.size; ordinal += 1) {
      if (this.network.isLive(ordinal) && this.network.degree(ordinal) === 0) orphans.push(ordinal);
    }
    const list = element("ul", "list plain");
    const title = element("h2", "", this.#words.orphans);
    const head = [this.#back(), title, element("p", "prov", this.#count(orphans.length))];
    await this.#titles(list, orphans, this.#replace([...head, list], this.#words.orphans));
  }

  async showFound(text, ordinals) {
    if (ordinals.length === 0) {
      this.#replace([element("p", "hint", this.#words.nothing.replace("{text}", text.trim()))]);
      return;
    }
    const list = element("ul", "list plain");
    const signal = this.#replace([element("h2", "cap", this.#count(ordinals.length)), list]);
    await this.#titles(list, ordinals, signal);
  }

  async showNote(ordinal) {
    const { network } = this;
    const outer = this.#replace(null);
    await network.rows.load([ordinal], outer);
    const row = network.rows.known(ordinal);
    if (outer.aborted || !row) return;
    const title = element("h2", "", row.title);
    title.lang = row.language;
    title.dir = "auto";
    const open = element("a", "btn primary", this.#words.open);
    const acts = element("p", "acts");
    acts.append(open);
    const lists = element("div");
    const signal = this.#replace([this.#groupOf(ordinal), title, this.#degree(ordinal), acts, lists], row.title);
    try {
      const doc = await readDoc(thisSite, row.id, row.doc);
      if (signal.aborted) return;
      open.href = pageAddress(thisSite.root, doc.url) ?? "";
      await this.#links(lists, ordinal, doc, signal);
    } catch (error) {
      if (signal.aborted) return;
      acts.remove();
      lists.append(element("p", "hint", this.#words.unread));
      console.warn("The note could not be read", error);
    }
  }

  async #links(lists, ordinal, doc, signal) {
    const { network } = this;
    const outgoing = linkedIds(doc).map((id) => ({ id, ordinal: network.rows.ordinalOf(id), doc }));
    const incoming = [...network.incoming(ordinal)].map((each) => ({ ordinal: each }));
    if (outgoing.length + incoming.length === 0) lists.append(element("p", "hint", this.#words.alone));
    await Promise.all([
      this.#section(lists, this.#words.to, outgoing, (link) => this.#outgoing(link), signal),
      this.#section(lists, this.#words.from, incoming, (link) => this.#incoming(link, doc.id), signal),
    ]);
  }

  async #section(lists, title, links, itemOf, signal) {
    if (links.length === 0) return;
    const list = element("ul", "list");
    lists.append(element("h2", "cap", title), list);
    await this.#fill(list, links, SENTENCES, itemOf, signal);
  }

  #outgoing({ id, ordinal, doc }) {
    const said = linkingSentence(doc, id);
    const title = this.network.rows.known(ordinal)?.title || said?.words || id;
    return this.#link(title, ordinal, said, doc.language);
  }

  async #incoming({ ordinal }, id) {
    await this.network.rows.load([ordinal]);
    const row = this.network.rows.known(ordinal);
    if (!row || row.id === "") return null;
    const doc = await readDoc(thisSite, row.id, row.doc).catch(() => null);
    return this.#link(row.title, ordinal, doc && linkingSentence(doc, id), row.language);
  }

  #link(title, ordinal, said, language) {
    const item = element("li");
    const isThere = ordinal !== undefined && this.network.isLive(ordinal);
    item.append(isThere ? this.#button(title, () => this.#actions.choose(ordinal)) : element("span", "", title));
    item.firstChild.dir = "auto";
    if (said && (said.before || said.behind)) {
      const line = element("p", "sentence");
      line.lang = language;
      line.dir = "auto";
      line.append(said.before, element("mark", "", said.words), said.behind);
      item.append(line);
    }
    return item;
  }

  async #titles(list, ordinals, signal) {
    const itemOf = async (ordinal) => {
      await this.network.rows.load([ordinal]);
      const row = this.network.rows.known(ordinal);
      return row && row.id !== "" ? this.#link(row.title, ordinal, null, row.language) : null;
    };
    await this.#fill(list, ordinals, TITLES, itemOf, signal);
  }

  /* The first items, and a button for as many more. */
  async #fill(list, waiting, number, itemOf, signal) {
    const items = await Promise.all(waiting.slice(0, number).map(itemOf));
    if (signal.aborted) return null;
    const shown = items.filter(Boolean);
    list.append(...shown);
    const rest = waiting.slice(number);
    if (rest.length > 0) {
      const more = element("li", "more");
      const next = this.#button(this.#words.more.replace("{n}", rest.length), async () => {
        const first = await this.#fill(list, rest, number, itemOf, signal);
        more.remove();
        first?.querySelector("button")?.focus();
      });
      next.className = "btn quiet";
      more.append(next);
      list.append(more);
    }
    return shown[0] ?? null;
  }

  #groupOf(ordinal) {
    const number = this.network.group[ordinal];
    if (number < 0) return this.#back();
    return this.#button(this.network.groups[number].label, () => this.#actions.group(number), "cap");
  }

  #back() {
    return this.#button(this.#words.groups, () => this.#actions.group(-1), "cap");
  }

  #degree(ordinal) {
    const line = element("p", "prov");
    const said = (count, one, many) => element("span", "", count === 1 ? one : many.replace("{n}", count));
    line.append(
      said(this.network.outgoing(ordinal).length, this.#words.outOne, this.#words.out),
      said(this.network.incoming(ordinal).length, this.#words.inOne, this.#words.in),
    );
    return line;
  }

  #count(number) {
    return number === 1 ? this.#words.countOne : this.#words.count.replace("{n}", number);
  }

  #button(text, pressed, className = "") {
    const button = element("button", className, text);
    button.type = "button";
    button.addEventListener("click", pressed);
    return button;
  }

  /* Sets another view; null only ends the one before. said: what a screen reader is told. The focus of a reader who
     pressed something in the list stays in it. */
  #replace(parts, said = "") {
    this.#view.abort();
    this.#view = new AbortController();
    if (!parts) return this.#view.signal;
    const held = this.#host.contains(document.activeElement);
    this.#body.replaceChildren(...parts);
    this.#host.scrollTop = 0;
    if (held) this.#host.focus({ preventScroll: true });
    this.#host.querySelector("[role=status]").textContent = said;
    return this.#view.signal;
  }
}
