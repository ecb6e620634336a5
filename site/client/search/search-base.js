/* The search base of a revision: its segments and its delta, as one. Ordinals count on from segment to segment;
   documents of the delta come behind all segments. */
import { KnowledgeError } from "../knowledge/verification.js";
import { leastImpact, liveIn } from "./common-terms.js";
import { DeltaIndex } from "./delta-index.js";
import { HotTerms } from "./hot-terms.js";
import { hotThreshold, planTerms, TERM_LIMIT, termKey } from "./query-plan.js";
import { bestImpacts, idf, ordinalOf, pack, readPostings } from "./ranking.js";
import { Segment } from "./segment.js";
import { TOKENS_VERSION } from "./tokens.js";
import { WEIGHTS } from "./unit-terms.js";

const IMPACTS = 16;

/**
 * What the search base has for a term: live postings, and how many there are in all. Of a term in very many units,
 * `weak` postings do not count, nor those of the `rest`, which were left where they are, by segment.
 * @typedef {{term: import("./query-plan.js").QueryTerm, postings: number[], occurrences: number, weak: number[],
 *   rest: {segment: number, term: string, sha256: string, size: number}[]}} Found
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
  #hot;

  /** How many units are live. */
  units = 0;

  /** @throws {KnowledgeError} if there is no index, or one whose tokens are cut by other rules */
  static async load(site) {
    const root = await site.rootObject();
    if (!Array.isArray(root.segments)) throw new KnowledgeError("root: no segments");
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
    }
    this.#hot = new HotTerms(segments, delta.hotDropped ?? []);
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
    const postings = bestImpacts([found.postings, found.weak, ...rests]);
    return { ...found, postings, occurrences: Math.max(found.occurrences, postings.length), weak: [], rest: [] };
  }

  /**
   * The terms that are looked up, in their order. Which are hot matters only where there are more than are looked up;
   * then a count that no list gives is taken from the postings.
   */
  async plan(terms) {
    const exact = terms.length > TERM_LIMIT;
    const floor = hotThreshold(this.units);
    const counts = new Map();
    for (const { term } of terms.filter(({ prefix }) => !prefix)) {
      const [listed, more] = this.#hot.bounds(term);
      let count = listed + (this.#newer?.count(term) ?? 0);
      if (exact && count + more >= floor) count += await this.#unlisted(term);
      if (count >= floor) counts.set(term, count);
    }
    return planTerms(terms, counts);
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

  /** Which part of the base a document stands in: a segment, or behind them all the delta. */
  partOf(ordinal) {
    return this.#offsets.findLastIndex((offset) => offset <= ordinal);
  }

  /** Terms near a word in the directories, with how many units have them. @returns {Promise<[string, number][]>} */
  async neighbours(word) {
    const counted = await Promise.all(
      this.#segments.map(async (segment, number) =>
        (await segment.neighbours(word)).map((row) => [row.term, liveIn(this.#part(number, row))]),
      ),
    );
    return [...(this.#newer?.words() ?? []), ...counted.flat().filter(([, live]) => live > 0)];
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
    const newer = this.#newer?.find(term) ?? new Map();
    const words = new Set([...parts, newer].flatMap((part) => [...part.keys()]));
    const found = await Promise.all(
      [...words].map((word) => this.#settled(word, parts.map((part) => part.get(word)), newer.get(word) ?? [])),
    );
    if (!term.prefix) return { postings: [], occurrences: 0, weak: [], rest: [], ...found[0], term };
    const postings = bestImpacts(found.map((word) => word.postings));
    const left = found.reduce((sum, word) => sum + word.occurrences - word.postings.length, 0);
    const weak = found.flatMap((word) => word.weak);
    return { term, postings, occurrences: postings.length + left, weak, rest: found.flatMap((word) => word.rest) };
  }

  /* One term, from what each segment and the delta have of it. */
  async #settled(word, parts, newer) {
    const rest = parts.flatMap((part, segment) => (part?.rest ? [{ ...part.rest, segment, term: word }] : []));
    let whole = [...parts.filter(Boolean), { postings: newer }];
    let least = leastImpact(whole);
    const known = least !== undefined;
    if (!known) {
      const rests = await Promise.all(rest.map((each) => this.#rest(each)));
      whole = [...whole.map(({ postings }) => postings), ...rests].map((postings) => ({ postings }));
      least = leastImpact(whole) ?? 0;
    }
    const all = whole.flatMap(({ postings }) => postings);
    const occurrences = whole.reduce((sum, part) => sum + liveIn(part), 0);
    const counts = (posting) => posting % IMPACTS >= least;
    const postings = least > 0 ? all.filter(counts) : all;
    const weak = least > 0 ? all.filter((posting) => !counts(posting)) : [];
    return { postings, occurrences, weak, rest: known && least > 0 ? rest : [] };
  }

  /* How many live units of segments whose lists do not give a term have it. */
  async #unlisted(term) {
    const found = await Promise.all(
      this.#hot.silent(term).map((number) => this.#inSegment(number, { term, prefix: false })),
    );
    return found.flatMap((parts) => [...parts.values()]).reduce((sum, part) => sum + liveIn(part), 0);
  }

  /* What a segment has of a term, or of all terms with that prefix, by term. */
  async #inSegment(number, { term, prefix }) {
    const segment = this.#segments[number];
    const rows = prefix ? await segment.withPrefix(term) : [await segment.find(term)].filter(Boolean);
    return new Map(rows.map((row) => [row.term, this.#part(number, row)]));
  }

  #part(number, { term, numbers, rest }) {
    return { postings: this.#live(number, numbers), rest, gone: rest ? this.#hot.gone(number, term) : 0 };
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
