/* Documents as the index knows them, for those who ask for no words: who links where, what is like what. Ordinals
   count on from segment to segment, each taking as many as its pages have room for. */
import { Segment } from "../search/segment.js";
import { KnowledgeError } from "./verification.js";

const DOC_PAGE = 32;
const SEARCHED_PAGES = 16; // of rows of younger segments, for an edited document

/**
 * @typedef {object} IndexedNote
 * @property {string} id
 * @property {string} title
 * @property {string} language
 * @property {{sha256: string, size: number}} doc
 * @property {[number, number][]} related [ordinal, likeness], the likest first; empty for a newer document
 */

export class IndexedNotes {
  #site;
  #segments;
  #offsets = [0];
  #dropped;
  #newer;

  /** @param {import("./published-site.js").PublishedSite} site  @throws {KnowledgeError} */
  static async load(site) {
    const root = await site.rootObject();
    if (!Array.isArray(root.segments)) throw new KnowledgeError("root: no segments");
    const [delta, ...objects] = await Promise.all([
      site.object("delta", root.delta),
      ...root.segments.map((reference) => site.object("segment", reference)),
    ]);
    return new IndexedNotes(site, objects.map((object) => new Segment(site, object)), delta);
  }

  constructor(site, segments, { docs, drop }) {
    if (!Array.isArray(docs) || !Array.isArray(drop)) throw new KnowledgeError("delta: no documents");
    this.#site = site;
    this.#segments = segments;
    for (const segment of segments) this.#offsets.push(this.#offsets.at(-1) + segment.capacity);
    this.#dropped = new Set(drop.map(([segment, ordinal]) => this.#offsets[segment] + ordinal));
    this.#newer = docs.map(asNote);
  }

  /** The ordinals, ascending, of documents of segments for which a fact holds, such as `link:` and a docId. */
  async ordinals(fact) {
    const rows = await Promise.all(this.#segments.map((segment) => segment.find(fact)));
    const all = rows.flatMap((row, number) => documentsIn(row?.numbers ?? []).map((local) => this.#offsets[number] + local));
    return all.filter((ordinal) => !this.#dropped.has(ordinal));
  }

  /** The live document of an ordinal: an edited one is found by its id. @returns {Promise<IndexedNote | undefined>} */
  async note(ordinal) {
    const number = this.#offsets.findLastIndex((offset) => offset <= ordinal);
    if (number >= this.#segments.length || ordinal < 0) return undefined;
    const note = asNote(await this.#segments[number].docRow(ordinal - this.#offsets[number]));
    if (note.id === "") return undefined;
    return this.#dropped.has(ordinal) ? this.#edited(note.id, number + 1) : note;
  }

  /** Documents newer than all segments. @returns {IndexedNote[]} */
  get newer() {
    return this.#newer;
  }

  /** A document's object. @throws {KnowledgeError} if it is of another document */
  async doc(note) {
    const doc = await this.#site.object("doc", note.doc);
    const sound = doc.id === note.id && typeof doc.text === "string" && typeof doc.url === "string";
    if (!sound || !Array.isArray(doc.sections) || !Array.isArray(doc.links)) throw new KnowledgeError("doc: of another document");
    return doc;
  }

  async #edited(id, from) {
    const newer = this.#newer.find((note) => note.id === id);
    if (newer) return newer;
    for (const [number, first] of this.#pages(from).slice(0, SEARCHED_PAGES)) {
      const { docs } = await this.#segments[number].docPage(first);
      const live = (place) => !this.#dropped.has(this.#offsets[number] + first + place);
      const row = docs.find(([found], place) => found === id && live(place));
      if (row) return asNote(row);
    }
    return undefined;
  }

  /* Pages of rows from one segment on: [segment, ordinal of its first row there]. */
  #pages(from) {
    return this.#segments.slice(from).flatMap(({ capacity }, place) =>
      Array.from({ length: capacity / DOC_PAGE }, (_, page) => [from + place, page * DOC_PAGE]),
    );
  }
}

/* The documents that a shard's row names: a negative number advances the ordinal, which starts at -1. */
function documentsIn(numbers) {
  let ordinal = -1;
  return numbers.filter((number) => number < 0).map((number) => (ordinal -= number));
}

function asNote([id, title, language, sha256, size, , , related = []]) {
  return { id, title, language, doc: { sha256, size }, related };
}
