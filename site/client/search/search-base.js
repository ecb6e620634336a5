/* The search base of a revision: its segments and its delta, as one. Ordinals count on from segment to segment;
   documents of the delta come behind all segments. */
import { KnowledgeError } from "../knowledge/verification.js";
import { DeltaIndex } from "./delta-index.js";
import { termKey } from "./query-plan.js";
import { bestImpacts, idf, ordinalOf, pack, readPostings } from "./ranking.js";
import { Segment } from "./segment.js";
import { TOKENS_VERSION } from "./tokens.js";
import { WEIGHTS } from "./unit-terms.js";

/**
 * What the search base has for a term: live postings, and how many there are in all; rest: where those of common
 * terms are that were left there, by segment.
 * @typedef {{term: import("./query-plan.js").QueryTerm, postings: number[], occurrences: number, rest: object[]}} Found
 *
 * A document as search knows it; doc: the reference to its object.
 * @typedef {{ordinal: number, id: string, title: string, language: string, doc: object}} IndexedDocument
 */

export class SearchBase {
  #site;
  #segments;
  #offsets = [0];
  #dropped = new Map();
  #delta;
  #newer;
  #found = new Map();

  /** How many units are live. */
  units = 0;
  /** Units of hot terms. */
  hot = new Map();

  /** @throws {KnowledgeError} if there is no index, or one whose tokens are cut by other rules */
  static async load(site) {
    const root = await site.rootObject();
    const [delta, ...objects] = await Promise.all([
      site.object("delta", root.delta),
      ...root.segments.map((reference) => site.object("segment", reference)),
    ]);
    if (objects.length === 0 && delta.docs.length === 0) throw new KnowledgeError("the site publishes no index");
    const base = new SearchBase(site, objects.map((object) => new Segment(site, object)), delta);
    await base.#readNewer();
    return base;
  }

  constructor(site, segments, delta) {
    if (segments.some(({ tokens }) => tokens !== TOKENS_VERSION)) throw new KnowledgeError("segment: other tokens");
    this.#site = site;
    this.#segments = segments;
    this.#delta = delta.docs;
    for (const segment of segments) {
      this.#offsets.push(this.#offsets.at(-1) + segment.capacity);
      this.units += segment.units;
      for (const [term, units] of segment.hot) this.hot.set(term, (this.hot.get(term) ?? 0) + units);
    }
    for (const [segment, ordinal, units = 0] of delta.drop) {
      if (!this.#dropped.has(segment)) this.#dropped.set(segment, new Set());
      this.#dropped.get(segment).add(ordinal);
      this.units -= units;
    }
  }

  /** What there is for a term; of a prefix, each unit counts once, with its best impact. @returns {Promise<Found>} */
  find(term) {
    const key = termKey(term);
    if (!this.#found.has(key)) {
      const looking = this.#lookUp(term);
      this.#found.set(key, looking);
      looking.catch(() => this.#found.delete(key));
    }
    return this.#found.get(key);
  }

  /** The same with the postings that were left where they are. */
  async whole(found) {
    const rests = await Promise.all(found.rest.map((rest) => this.#rest(rest)));
    const postings = bestImpacts([found.postings, ...rests]);
    return { ...found, postings, occurrences: Math.max(found.occurrences, postings.length) };
  }

  /** The documents of which a fact holds: `tag:`, `folder:`, `link:` and a value. @returns {Promise<Set<number>>} */
  async ordinals(fact) {
    const found = await this.find({ term: fact, prefix: false });
    return new Set((await this.whole(found)).postings.map(ordinalOf));
  }

  /** @returns {Promise<IndexedDocument | undefined>} undefined if it was dropped */
  async document(ordinal) {
    const end = this.#offsets.at(-1);
    if (ordinal >= end) return asDocument(this.#delta[ordinal - end], ordinal);
    const number = this.#offsets.findLastIndex((offset) => offset <= ordinal);
    const local = ordinal - this.#offsets[number];
    const row = await this.#segments[number].docRow(local);
    return row[0] === "" || this.#dropped.get(number)?.has(local) ? undefined : asDocument(row, ordinal);
  }

  /** Terms near a word in the directories, with how many units have them. @returns {Promise<[string, number][]>} */
  async neighbours(word) {
    const rows = await Promise.all(this.#segments.map((segment) => segment.neighbours(word)));
    const counted = rows.flat().map(({ term, numbers, rest }) => [term, rest?.count ?? numbers.length]);
    return [...(this.#newer?.words() ?? []), ...counted];
  }

  /** How much an occurrence of a term tells, in 1024ths. */
  idf({ occurrences }) {
    return idf(this.units, occurrences);
  }

  async #readNewer() {
    if (this.#delta.length === 0) return;
    const docs = await Promise.all(
      this.#delta.map(([id, , , sha256, size]) => readDoc(this.#site, id, { sha256, size })),
    );
    const { pivot = 1, weights = WEIGHTS } = this.#segments[0] ?? {};
    this.#newer = new DeltaIndex(docs, { pivot, weights, first: this.#offsets.at(-1) });
    this.units += this.#newer.units;
  }

  async #lookUp(term) {
    const parts = await Promise.all(this.#segments.map((_, number) => this.#inSegment(number, term)));
    const lists = parts.flatMap((part) => part.lists);
    if (this.#newer) lists.push(this.#newer.find(term));
    const postings = term.prefix ? bestImpacts(lists) : lists.flat();
    const rest = parts.flatMap((part) => part.rest);
    const more = rest.reduce((sum, { count, kept }) => sum + count - kept, 0);
    return { term, postings, occurrences: postings.length + Math.max(0, more), rest };
  }

  async #inSegment(number, term) {
    const segment = this.#segments[number];
    const rows = term.prefix
      ? await segment.withPrefix(term.term)
      : [await segment.find(term.term)].filter(Boolean);
    const lists = rows.map((row) => this.#live(number, row.numbers));
    const rest = rows.flatMap((row, place) =>
      row.rest ? [{ ...row.rest, term: row.term, segment: number, kept: lists[place].length }] : [],
    );
    return { lists, rest };
  }

  #live(number, numbers) {
    const end = this.#segments[number].capacity;
    return readPostings(numbers, { end, offset: this.#offsets[number], dropped: this.#dropped.get(number) });
  }

  async #rest({ segment, term, sha256, size }) {
    const rows = await this.#segments[segment].continuation(term, { sha256, size });
    const dropped = this.#dropped.get(segment);
    return rows
      .filter(([ordinal]) => !dropped?.has(ordinal))
      .map(([ordinal, number]) => pack(ordinal + this.#offsets[segment], number));
  }
}

/** A document's object. @throws {KnowledgeError} if it is of another document */
export async function readDoc(site, id, reference) {
  const doc = await site.object("doc", reference);
  const sound = doc.id === id && typeof doc.text === "string" && Array.isArray(doc.sections);
  if (!sound) throw new KnowledgeError("doc: of another document");
  return doc;
}

function asDocument(row, ordinal) {
  if (!row) return undefined;
  const [id, title, language, sha256, size] = row;
  return { ordinal, id, title, language, doc: { sha256, size } };
}
