/* The list of notes as data: categories of the overview, documents of one category. No DOM, no network. */
import { KnowledgeError } from "../knowledge/verification.js";

/**
 * @typedef {object} Category
 * @property {number} id
 * @property {number} parent -1 at the top
 * @property {string} title
 * @property {number} count
 * @property {number} page
 * @property {number} lastPage
 * @property {string} docId of the document that stands for it; empty if none does
 * @property {Category[]} children
 *
 * count: documents in the whole subtree. page: index of the object in which the list of the category's own
 * documents begins; lastPage: of the one in which it ends at the latest, that of the next category's.
 */

export class Tree {
  #categories = new Map();
  #pages;

  /** @throws {KnowledgeError} for an overview whose rows do not make a tree */
  constructor(overview) {
    const good = Array.isArray(overview.categories) && Array.isArray(overview.pages);
    if (!good) throw new KnowledgeError("overview: no categories");
    this.#pages = overview.pages.map(([sha256, size]) => ({ sha256, size }));
    overview.categories.forEach((row, number, rows) => this.#add(row, rows[number + 1]?.[4]));
    if (!this.#categories.has(0)) throw new KnowledgeError("overview: no root category");
    for (const category of this.#categories.values()) {
      this.#categories.get(category.parent)?.children.push(category);
    }
  }

  /** The root category: the site itself. */
  get top() {
    return this.#categories.get(0);
  }

  category(id) {
    return this.#categories.get(id);
  }

  /** References of all objects that hold documents. */
  get pages() {
    return this.#pages;
  }

  /** References of the objects that hold the category's documents, in order. */
  pagesOf(category) {
    return this.#pages.slice(category.page, category.lastPage + 1);
  }

  /**
   * The categories from the outermost down to the one a document lies in: the one whose own page it is,
   * else as far as the titles lead.
   * @param {string[]} titles
   * @returns {Category[]} without the root; empty for documents at the top
   */
  trail(titles, docId) {
    for (const category of this.#categories.values()) {
      if (docId !== "" && category.docId === docId) return this.lineage(category);
    }
    const trail = [];
    let here = this.top;
    for (const title of titles) {
      here = here.children.find((child) => child.title === title);
      if (!here) break;
      trail.push(here);
    }
    return trail;
  }

  /** The categories from the outermost down to this one, without the root. */
  lineage(category) {
    const line = [];
    let here = category;
    while (here && here !== this.top && !line.includes(here)) {
      line.unshift(here);
      here = this.#categories.get(here.parent);
    }
    return line;
  }

  #add([id, parent, title, count, page, docId = ""], next = this.#pages.length - 1) {
    const numbers = [id, parent, count, page].every(Number.isSafeInteger);
    if (!numbers || typeof title !== "string" || !(page in this.#pages)) throw new KnowledgeError("overview: not a category");
    const lastPage = Math.max(page, next);
    this.#categories.set(id, { id, parent, title, count, page, lastPage, docId, children: [] });
  }
}

/**
 * The documents that lie directly in a category.
 * @param {{rows: unknown[]}} page an object of kind `category`
 * @returns {{docId: string, title: string, url: string}[]} in published order
 */
export function documentsOf(page, category) {
  if (!Array.isArray(page.rows)) throw new KnowledgeError("category: no rows");
  return page.rows
    .filter(([id, ...texts]) => id === category.id && texts.slice(0, 3).every((text) => typeof text === "string"))
    .map(([, docId, title, url]) => ({ docId, title, url }));
}

/**
 * The category a document lies in, by the rows of the pages given.
 * @param {{rows: unknown[]}[]} pages
 * @returns {number | undefined} its id
 */
export function categoryOf(docId, pages) {
  for (const { rows } of pages) {
    const row = rows.find(([, id]) => id === docId);
    if (row) return row[0];
  }
  return undefined;
}

/**
 * The categories at the top of a site in several languages: those of the page's language first, those of others last.
 * A category is a language's own if its title is the language's code or what the language calls itself.
 * @param {Category[]} categories  @param {string} language of the page  @param {string[]} languages of the site
 * @returns {Category[]} those of a language under its own name
 */
export function byLanguage(categories, language, languages) {
  if (languages.length < 2) return categories;
  const names = new Map(languages.map((code) => [primary(code), autonym(code)]));
  const ranked = categories.map((category) => {
    const found = [...names].find(([code, name]) => primary(category.title) === code || category.title === name);
    if (!found) return { category, rank: 1 };
    return { category: { ...category, title: found[1] }, rank: found[0] === primary(language) ? 0 : 2 };
  });
  return ranked.sort((one, other) => one.rank - other.rank).map(({ category }) => category);
}

function primary(code) {
  return code.split("-")[0].toLowerCase();
}

function autonym(code) {
  try {
    return new Intl.DisplayNames([code], { type: "language" }).of(primary(code));
  } catch {
    return code;
  }
}
