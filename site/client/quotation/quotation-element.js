/* <nb-quotation popover="manual">: beside selected words of the note, a button that copies them as a citation.
   data-document: the hash of the note. Words: data-quotation, data-revision, data-document-line, data-copied,
   data-refused. */
import { thisSite } from "../knowledge/this-site.js";
import { placeBeside } from "../placing.js";
import { copyText } from "../say/clipboard.js";
import { say } from "../say/say.js";
import { citation, quotedText } from "./citation.js";

const SHORTEST = 2;
const SETTLED_MS = 250;

export class QuotationElement extends HTMLElement {
  #life;
  #timer;
  #held = false;
  #revision = "";

  connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    document.addEventListener("selectionchange", this.#changed, { signal });
    document.addEventListener("pointerdown", this.#down, { signal, passive: true });
    document.addEventListener("pointerup", this.#up, { signal, passive: true });
    document.addEventListener("pointercancel", this.#up, { signal, passive: true });
    document.addEventListener("keydown", this.#pressed, { signal });
    // A press on the button must not take the selection away before the click comes.
    this.addEventListener("pointerdown", (event) => event.preventDefault(), { signal });
    this.addEventListener("mousedown", (event) => event.preventDefault(), { signal });
    this.addEventListener("click", this.#copy, { signal });
    this.#changed();
  }

  disconnectedCallback() {
    this.#life.abort();
    this.#hide();
  }

  #down = ({ target }) => {
    this.#held = !this.contains(target);
  };

  #up = () => {
    this.#held = false;
    this.#changed();
  };

  #pressed = ({ key }) => {
    if (key === "Escape") this.#hide();
  };

  #changed = () => {
    clearTimeout(this.#timer);
    if (!this.#range()) this.#hide();
    else this.#timer = setTimeout(this.#show, SETTLED_MS);
  };

  #hide() {
    clearTimeout(this.#timer);
    if (this.matches(":popover-open")) this.hidePopover();
  }

  /* The manifest is read before the press, since browsers let a page write to the clipboard only right after one. */
  #show = async () => {
    if (this.#held || !this.#range()) return;
    const { signal } = this.#life;
    try {
      this.#revision = (await thisSite.manifest(signal)).revision;
    } catch {
      this.#revision = "";
    }
    const range = this.#range();
    if (signal.aborted || this.#held || !range) return;
    if (!this.matches(":popover-open")) this.showPopover();
    placeBeside(this, [...range.getClientRects()], getComputedStyle(this).direction === "rtl");
  };

  /* What is selected, where it lies whole in the note and says something. */
  #range() {
    const selection = getSelection();
    if (!selection || selection.isCollapsed || quotedText(selection.toString()).length < SHORTEST) return null;
    const range = selection.getRangeAt(0);
    return this.#article?.contains(range.commonAncestorContainer) ? range : null;
  }

  get #article() {
    return document.querySelector("nb-article");
  }

  #copy = async () => {
    const range = this.#range();
    if (!range) return this.#hide();
    const { quotation, revision, documentLine, document: sha256, copied, refused } = this.dataset;
    const heading = sectionOf(range, this.#article);
    const text = citation(
      {
        text: quotedText(getSelection().toString()),
        titles: [document.querySelector("article.note h1"), heading].filter(Boolean).map(titleOf),
        site: document.querySelector(".brand span")?.textContent ?? "",
        address: addressOf(heading),
        revision: this.#revision,
        document: sha256,
      },
      { quotation, revision, document: documentLine },
    );
    const done = await copyText(text);
    say(this, done ? copied : refused, done);
    this.#hide();
  };
}

/* The last heading of the note that stands before the selection. */
function sectionOf(range, article) {
  const headings = [...article.querySelectorAll(":scope > :is(h2, h3, h4, h5, h6)[id]")];
  return headings.findLast((heading) => range.comparePoint(heading, 0) < 0 || heading.contains(range.startContainer));
}

function titleOf(heading) {
  return quotedText([...heading.childNodes].filter((node) => !node.matches?.(".sec")).map((node) => node.textContent).join(""));
}

/* The note's public address where it states one. */
function addressOf(heading) {
  const address = new URL(document.querySelector("link[rel=canonical]")?.href ?? location.href);
  address.hash = heading ? heading.id : "";
  return address.href;
}
