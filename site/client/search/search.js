/* Searching one site in the page: the index first, titles where it cannot be read. The same question gives the same
   documents, in the same order, as in bridge_reader/search. */
import { codePointCount } from "./code-points.js";
import { rankFor } from "./lexical.js";
import { queryTerms } from "./query-plan.js";
import { SearchBase } from "./search-base.js";
import { Titles } from "./titles.js";
import { runs } from "./tokens.js";

const HITS_LIMIT = 10;
const SHORTEST_BEGINNING = 2; // letters of a word that stand for the words that begin with them

/**
 * A document that matches. units: those of it that have a term, best first; empty where titles were compared, and then
 * `row` is its row in the document tree and `section` the heading that matches, if any.
 * @typedef {{id: string, title: string, language: string, doc: {sha256: string, size: number}, score: number,
 *   units: {unit: number, score: number}[], row?: object, section?: object}} Hit
 *
 * matched: how many documents matched, before the limit. degraded: titles and headings were compared, not texts.
 * weights: how much each term looked up tells, by its key (`word`, `prefix*`).
 * @typedef {{hits: Hit[], matched: number, terms: object[], weights: Map<string, number>,
 *   corrections: {typed: string, used: string}[], degraded: boolean}} Report
 */

export class Search {
  #site;
  #base;
  #titles;

  /** @param {import("../knowledge/published-site.js").PublishedSite} site */
  constructor(site) {
    this.#site = site;
    this.#titles = new Titles(site);
  }

  /** Fetches what every search needs, so that the first one is quick. Never fails. */
  async prepare() {
    await this.#loaded().catch(() => {});
  }

  /* What is fetched for a search that went stale is kept for the next one; only its further steps are left out. */

  /**
   * The documents that answer a question best.
   * @param {{filters?: import("./filters.js").Filters, limit?: number, typing?: boolean}} options
   *   typing: the last word may be unfinished; where nobody wrote it, it stands for words that begin with it
   * @returns {Promise<Report>}
   * @throws {KnowledgeError | TypeError | DOMException} if neither index nor titles can be read, or `signal` aborts
   */
  async find(question, { filters = {}, limit = HITS_LIMIT, typing = false } = {}, signal) {
    const terms = queryTerms(question);
    const nothing = { hits: [], matched: 0, terms, weights: new Map(), corrections: [], degraded: false };
    if (terms.length === 0) return nothing;
    const unfinished = typing ? lastWord(question) : undefined;
    try {
      const base = await this.#loaded();
      signal?.throwIfAborted();
      const ranking = await rankFor(base, terms, { filters, limit, unfinished }, signal);
      return { ...ranking, hits: hitsOf(ranking), degraded: false };
    } catch {
      signal?.throwIfAborted();
      const prefixes = terms.map((each) => (each.term === unfinished ? { ...each, prefix: true } : each));
      const matches = await this.#titles.compare(prefixes, { filters, limit });
      signal?.throwIfAborted();
      return { ...nothing, terms: prefixes, hits: matches.map(titleHit), matched: matches.length, degraded: true };
    }
  }

  #loaded() {
    this.#base ??= SearchBase.load(this.#site).catch((error) => {
      this.#base = undefined;
      throw error;
    });
    return this.#base;
  }
}

/* The word a text ends in, if it may still be going on. */
function lastWord(question) {
  const last = [...runs(question)].at(-1);
  const goesOn = last && !last.bigrams && /[\p{L}\p{N}_]$/u.test(question);
  return goesOn && codePointCount(last.tokens[0]) >= SHORTEST_BEGINNING ? last.tokens[0] : undefined;
}

function hitsOf({ documents, scores }) {
  return documents.map(({ id, title, language, doc, score, ordinal }) => {
    const units = scores.filter((each) => each.ordinal === ordinal).map(({ unit, score: worth }) => ({ unit, score: worth }));
    units.sort((one, other) => other.score - one.score || one.unit - other.unit);
    return { id, title, language, doc, score, units };
  });
}

function titleHit({ row, section, score }) {
  const { id, title, language, doc } = row;
  return { id, title, language, doc, score, units: [], row, section };
}
