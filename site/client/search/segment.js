/* Looking terms and documents up in one segment: directory, page, shard, row. Ordinals are the segment's own. */
import { KnowledgeError } from "../knowledge/verification.js";
import { byCodePoints } from "./code-points.js";

const DOC_PAGE = 32;
const PREFIX_SHARDS = 3;

/**
 * One row of a shard. rest: where the postings are that are left out here, and how many there are in all.
 * @typedef {{term: string, numbers: number[], rest?: {sha256: string, size: number, count: number}}} TermRow
 */

export class Segment {
  #site;
  #object;

  /** @param {import("../knowledge/published-site.js").PublishedSite} site  @throws {KnowledgeError} */
  constructor(site, object) {
    const lists = [object.hot, object.pages, object.docPages];
    if (!lists.every(Array.isArray)) throw new KnowledgeError("segment: no directory");
    this.#site = site;
    this.#object = object;
  }

  get tokens() {
    return this.#object.tokens;
  }

  get units() {
    return this.#object.units;
  }

  get pivot() {
    return this.#object.pivot;
  }

  get weights() {
    return this.#object.weights;
  }

  /** Terms in at least `hotFloor` units: [term, units]. */
  get hot() {
    return this.#object.hot;
  }

  get hotFloor() {
    return this.#object.hotFloor ?? 1;
  }

  /** Ordinals that the pages of documents have room for. */
  get capacity() {
    return this.#object.docPages.length * DOC_PAGE;
  }

  /** @returns {Promise<TermRow | undefined>} */
  async find(term) {
    const [shard] = await this.#shards(term, false);
    const row = shard?.find(([found]) => found === term);
    return row && asRow(row);
  }

  /** The rows of terms with a prefix, as far as a few shards hold them. @returns {Promise<TermRow[]>} */
  async withPrefix(prefix) {
    const shards = await this.#shards(prefix, true);
    return shards.flat().filter(([found]) => found.startsWith(prefix)).map(asRow);
  }

  /** The rows of the shard in which a term would stand. @returns {Promise<TermRow[]>} */
  async neighbours(term) {
    return (await this.#shards(term, false)).flat().map(asRow);
  }

  /** All postings beyond those of a term's row, as [ordinal, number]. */
  async continuation(term, rest) {
    const object = await this.#site.object("postings", rest);
    if (object.term !== term || !Array.isArray(object.rows)) throw new KnowledgeError("postings: of another term");
    return object.rows;
  }

  /** The row of a document: [id, title, language, sha256, size, ...]. */
  async docRow(ordinal) {
    const page = await this.docPage(ordinal);
    const row = page.docs[ordinal - page.first];
    if (!Array.isArray(row)) throw new KnowledgeError(`docs: no row for the ordinal ${ordinal}`);
    return row;
  }

  /** The page of rows that an ordinal stands on. @returns {Promise<{first: number, docs: unknown[][]}>} */
  async docPage(ordinal) {
    const [sha256, size] = this.#object.docPages[Math.floor(ordinal / DOC_PAGE)];
    const page = await this.#site.object("docs", { sha256, size });
    if (!Array.isArray(page.docs)) throw new KnowledgeError("docs: no rows");
    return page;
  }

  /* The rows of the shard in which a term would stand; for a prefix also those of shards behind it that may hold more. */
  async #shards(term, prefix) {
    const wanted = (await this.#directory(term, prefix)).slice(0, PREFIX_SHARDS);
    return Promise.all(wanted.map(async (row) => rowsOf(await this.#site.object("shard", asReference(row)))));
  }

  /* Their places; a small segment names them itself. */
  async #directory(term, prefix) {
    if (this.#object.shards) return reached(this.#object.shards, term, prefix);
    const found = [];
    for (const page of reached(this.#object.pages, term, prefix)) {
      const { shards } = await this.#site.object("terms", asReference(page));
      found.push(...reached(shards, term, prefix));
      if (found.length >= PREFIX_SHARDS) break;
    }
    return found;
  }
}

/* Of a directory: the row below which a term would stand, and for a prefix those that begin with it. A term before the
   first row stands nowhere, and is looked for in the first. */
function reached(rows, term, prefix) {
  if (!Array.isArray(rows)) throw new KnowledgeError("terms: no directory");
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byCodePoints(rows[middle][0], term) <= 0) low = middle + 1;
    else high = middle;
  }
  const start = Math.max(0, low - 1);
  let stop = start + 1;
  while (prefix && rows[stop]?.[0].startsWith(term)) stop += 1;
  return rows.slice(start, stop);
}

function asReference([, sha256, size]) {
  return { sha256, size };
}

function rowsOf({ terms }) {
  if (!Array.isArray(terms)) throw new KnowledgeError("shard: no terms");
  return terms;
}

function asRow([term, second, ...others]) {
  if (typeof second === "object") return { term, numbers: others, rest: second };
  return { term, numbers: second === undefined ? [] : [second, ...others] };
}
