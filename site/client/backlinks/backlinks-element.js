/* <nb-backlinks data-doc-id>: the notes that link to this one, each with the sentence that does. Nothing stands there
   until they are known, and nothing if there are none or they cannot be had.
   Words: data-title, data-count with {n}, data-count-one, data-more with {n}. */
import { thisIndex } from "../knowledge/this-index.js";
import { thisSite } from "../knowledge/this-site.js";
import { element, noteItem, noteSection } from "../note-list.js";
import { linkingSentence } from "./linking-sentence.js";

const SHOWN = 8;

export class BacklinksElement extends HTMLElement {
  #life;
  #index;
  #waiting = [];
  #list;

  async connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    if (this.#list) return;
    try {
      this.#index = await thisIndex();
      const notes = await this.#linking();
      if (notes.length === 0 || signal.aborted) return;
      const { section, list } = noteSection(this.dataset.title, "nb-linked-from", this.#count(notes.length));
      this.#waiting = notes;
      await this.#more(list);
      if (signal.aborted || list.childElementCount === 0) return;
      this.#list = list;
      this.replaceChildren(section);
    } catch (error) {
      if (!signal.aborted) console.warn("Backlinks could not be read", error);
    }
  }

  disconnectedCallback() {
    this.#life.abort();
  }

  /* Ordinals and newer documents that link here; only those that are shown are fetched. */
  async #linking() {
    const { docId } = this.dataset;
    const ordinals = await this.#index.ordinals(`link:${docId}`);
    const newer = await Promise.all(this.#index.newer.map(async (note) => ({ note, doc: await this.#index.doc(note) })));
    return [...newer.filter(({ note, doc }) => note.id !== docId && linkingSentence(doc, docId)), ...ordinals];
  }

  async #more(list) {
    const items = await Promise.all(this.#waiting.splice(0, SHOWN).map((linking) => this.#item(linking)));
    list.append(...items.filter(Boolean));
    if (this.#waiting.length > 0) this.#offerMore(list);
  }

  async #item(linking) {
    try {
      const note = linking.note ?? (await this.#index.note(linking));
      const doc = linking.doc ?? (note && (await this.#index.doc(note)));
      const said = doc && linkingSentence(doc, this.dataset.docId);
      if (!said) return null;
      const words = said.before || said.behind ? [said.before, element("b", "", said.words), said.behind] : [];
      return noteItem(thisSite.root, { ...doc, anchor: said.anchor }, words);
    } catch {
      return null; // One that cannot be had or verified is left out; the others stand.
    }
  }

  #offerMore(list) {
    const item = element("li", "more");
    const button = element("button", "btn quiet", this.dataset.more.replace("{n}", this.#waiting.length));
    button.type = "button";
    button.addEventListener(
      "click",
      async () => {
        await this.#more(list);
        const next = item.nextElementSibling?.querySelector("a");
        item.remove();
        next?.focus();
      },
      { once: true },
    );
    item.append(button);
    list.append(item);
  }

  #count(number) {
    return number === 1 ? this.dataset.countOne : this.dataset.count.replace("{n}", number);
  }
}
