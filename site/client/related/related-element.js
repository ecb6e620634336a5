/* <nb-related data-doc-id data-url>: notes of its language that are like this one and do not link to it, the likest
   first. Nothing stands there until they are known, and nothing if there are none or they cannot be had. Word: data-title. */
import { thisIndex } from "../knowledge/this-index.js";
import { thisSite } from "../knowledge/this-site.js";
import { noteItem, noteSection } from "../note-list.js";
import { leadingText } from "../plain-text.js";
import { firstSentences } from "../sentences.js";

const SHOWN = 4;
const LONGEST = 120;
const LONGEST_CJK = 56;
const LOOKED_AT = 32; // documents of a folder among which the one of this page is found

const CJK = new Set(["zh", "ja", "ko"]);

export class RelatedElement extends HTMLElement {
  #life;
  #done = false;

  async connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    if (this.#done) return;
    try {
      const items = await this.#items();
      if (signal.aborted || items.length === 0) return;
      const { section, list } = noteSection(this.dataset.title, "nb-related");
      list.classList.add("two");
      list.append(...items);
      this.#done = true;
      this.replaceChildren(section);
    } catch (error) {
      if (!signal.aborted) console.warn("Related notes could not be read", error);
    }
  }

  disconnectedCallback() {
    this.#life.abort();
  }

  async #items() {
    const index = await thisIndex();
    const related = (await this.#here(index))?.related ?? [];
    const items = [];
    for (let first = 0; first < related.length && items.length < SHOWN; first += SHOWN) {
      const some = related.slice(first, first + SHOWN);
      items.push(...(await Promise.all(some.map(([ordinal]) => this.#item(index, ordinal)))).filter(Boolean));
    }
    return items.slice(0, SHOWN);
  }

  /* This page's own row. As a folder its address holds the note itself and those below it. */
  async #here(index) {
    const { docId, url } = this.dataset;
    const ordinals = await index.ordinals(`folder:${url.replace(/\/$/, "")}`);
    for (const ordinal of ordinals.slice(0, LOOKED_AT)) {
      const note = await index.note(ordinal);
      if (note?.id === docId) return note;
    }
    return undefined;
  }

  async #item(index, ordinal) {
    try {
      const note = await index.note(ordinal);
      const { docId } = this.dataset;
      if (!note || note.id === docId || primary(note.language) !== primary(document.documentElement.lang)) return null;
      const doc = await index.doc(note);
      if (doc.links.some(({ to }) => to === docId)) return null;
      const lead = typeof doc.meta?.description === "string" ? doc.meta.description : leadingText(doc.text, LONGEST);
      return noteItem(thisSite.root, doc, [firstSentences(lead, doc.language, CJK.has(primary(doc.language)) ? LONGEST_CJK : LONGEST)]);
    } catch {
      return null; // One that cannot be had or verified is left out; the others stand.
    }
  }
}

function primary(language) {
  return language.split("-")[0].toLowerCase();
}
