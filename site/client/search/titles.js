/* Search without an index: titles, and headings where that is affordable, as bridge_reader/search/titles.py does. */
import { KnowledgeError } from "../knowledge/verification.js";
import { admitsRow } from "./filters.js";
import { sortedHits } from "./ranking.js";
import { searchText } from "./search-text.js";
import { tokens } from "./tokens.js";

const LEAVES = 64; // read at most: some four thousand titles
const TOCS = 64; // documents whose headings are read at most
const DEPTH = 64; // of the tree; what lies deeper is no tree of documents
const TITLE_WEIGHT = 4;
const HEADING_WEIGHT = 3;

export class Titles {
  #site;
  #rows;
  #words = new Map();

  constructor(site) {
    this.#site = site;
  }

  /**
   * The documents whose titles, aliases or headings have most of the terms.
   * @returns {Promise<{row: object, id: string, unit: 0, score: number, section?: object}[]>} best first
   * @throws {KnowledgeError | TypeError} if not even titles can be read
   */
  async compare(terms, { filters, limit }) {
    this.#rows ??= await this.#readRows();
    const rows = this.#rows.filter((row) => admitsRow(filters, row));
    const byTitle = rows.map((row) => asMatch(row, this.#titleScore(row, terms))).filter(({ score }) => score > 0);
    const lookedAt = rows.length <= TOCS ? rows : sortedHits(byTitle).slice(0, limit).map(({ row }) => row);
    const byHeading = await Promise.all(lookedAt.map((row) => this.#byHeading(row, terms)));
    const best = new Map(byTitle.map((match) => [match.id, match]));
    for (const match of byHeading) if (match) best.set(match.id, match);
    return sortedHits([...best.values()]).slice(0, limit);
  }

  async #readRows() {
    const { tree } = await this.#site.rootObject();
    const rows = [];
    const pending = [{ reference: tree, isLeaf: false, depth: 0 }];
    let read = 0;
    while (pending.length > 0 && read < LEAVES) {
      const { reference, isLeaf, depth } = pending.shift();
      if (isLeaf) {
        rows.push(...listed((await this.#site.object("leaf", reference)).docs));
        read += 1;
      } else if (depth < DEPTH) {
        const index = await this.#site.object("index", reference);
        pending.unshift(...branches(index, depth + 1));
      }
    }
    return rows;
  }

  async #byHeading(row, terms) {
    const { sections } = await this.#site.object("toc", row.toc);
    let best = { score: 0 };
    for (const section of listed(sections)) {
      const score = this.#hits(section.title, terms);
      if (score > best.score) best = { score, section };
    }
    if (best.score === 0) return undefined;
    return { ...asMatch(row, this.#titleScore(row, terms) + HEADING_WEIGHT * best.score), section: best.section };
  }

  #titleScore({ title, aliases = [] }, terms) {
    return TITLE_WEIGHT * Math.max(...[title, ...aliases].map((name) => this.#hits(name, terms)));
  }

  #hits(text, terms) {
    if (!this.#words.has(text)) this.#words.set(text, new Set(tokens(searchText(text))));
    const found = this.#words.get(text);
    const has = ({ term, prefix }) => (prefix ? [...found].some((token) => token.startsWith(term)) : found.has(term));
    return terms.filter(has).length;
  }
}

function asMatch(row, score) {
  return { row, id: row.id, unit: 0, score };
}

function branches({ leaves = [], children = [] }, depth) {
  const rows = [...leaves.map((row) => [row, true]), ...children.map((row) => [row, false])];
  rows.sort(([one], [other]) => (one[0] < other[0] ? -1 : Number(one[0] > other[0])));
  return rows.map(([[, , sha256, size], isLeaf]) => ({ reference: { sha256, size }, isLeaf, depth }));
}

function listed(value) {
  if (!Array.isArray(value)) throw new KnowledgeError("not a list of documents");
  return value;
}
