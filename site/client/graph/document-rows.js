/* What the search base says of each document: pages of 32 rows, fetched as they are wanted. Ordinals count on from
   segment to segment; documents of the delta come behind all segments. */

const PAGE = 32;
const AT_ONCE = 6;

/**
 * @typedef {object} DocumentRow
 * @property {string} id empty for a document that is gone
 * @property {string} title
 * @property {string} language
 * @property {{sha256: string, size: number}} doc
 * @property {number[]} links ordinals it links to, as of when the row was written; those of the delta have none
 */

export class DocumentRows {
  #site;
  #pages;
  #delta;
  #known = new Map();
  #ordinals = new Map();

  /**
   * @param {import("../knowledge/published-site.js").PublishedSite} site
   * @param {{docPages: [string, number][]}[]} segments objects of that kind
   * @param {{docs: [string, string, string, string, number][]}} delta
   */
  constructor(site, segments, delta) {
    this.#site = site;
    this.#pages = segments.flatMap((segment, number) =>
      segment.docPages.map(([sha256, size], page) => ({ number, page, reference: { sha256, size } })),
    );
    this.#delta = delta.docs;
    delta.docs.forEach((row, number) => this.#keep(this.end + number, row));
  }

  /** Where the ordinals of the segments end and those of the delta begin. */
  get end() {
    return this.#pages.length * PAGE;
  }

  /** How many ordinals there are. */
  get size() {
    return this.end + this.#delta.length;
  }

  /** The first ordinal of a segment. */
  offset(segment) {
    return this.#pages.filter(({ number }) => number < segment).length * PAGE;
  }

  /** @returns {DocumentRow | undefined} undefined while its page was not fetched, and for room that nothing fills */
  known(ordinal) {
    return this.#known.get(ordinal);
  }

  /** The youngest ordinal of a document among the rows that are known. */
  ordinalOf(id) {
    return this.#ordinals.get(id);
  }

  /** Fetches the rows of these ordinals. @throws {KnowledgeError | DOMException} */
  async load(ordinals, signal) {
    const wanted = new Set();
    for (const ordinal of ordinals) {
      if (!this.#known.has(ordinal) && ordinal < this.end) wanted.add(Math.floor(ordinal / PAGE));
    }
    await this.#fetch([...wanted], signal);
  }

  /** Fetches all rows from a segment on, a few pages at a time; `progress` is called after each of these. */
  async loadAll(signal, progress = () => {}, segment = 0) {
    const first = this.offset(segment) / PAGE;
    const wanted = this.#pages.map((_, page) => page).filter((page) => page >= first && !this.#known.has(page * PAGE));
    for (let next = 0; next < wanted.length; next += AT_ONCE) {
      await this.#fetch(wanted.slice(next, next + AT_ONCE), signal);
      progress();
    }
  }

  async #fetch(pages, signal) {
    await Promise.all(
      pages.map(async (page) => {
        const { docs } = await this.#site.object("docs", this.#pages[page].reference, signal);
        docs.forEach((row, number) => this.#keep(page * PAGE + number, row));
      }),
    );
  }

  #keep(ordinal, [id, title, language, sha256, size, , links = []]) {
    this.#known.set(ordinal, { id, title, language, doc: { sha256, size }, links });
    const older = this.#ordinals.get(id);
    if (id !== "" && (older === undefined || older < ordinal)) this.#ordinals.set(id, ordinal);
  }
}
