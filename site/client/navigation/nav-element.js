/* <nb-nav>: the list of notes. Nothing is fetched before it is seen, and no category before it is opened.
   data-languages: those of the site, where it has several. data-doc-id and data-path (titles of categories, JSON) say where this page lies; its link child is what
   stays when loading fails. data-state: loading, ready, failed. */
import { icon } from "../icon.js";
import { pageAddress } from "../knowledge/addresses.js";
import { thisSite } from "../knowledge/this-site.js";
import { showInBox } from "../scrolling.js";
import { byLanguage, categoryOf, documentsOf, Tree } from "./tree.js";

/* Where the titles on the page do not lead to it, so many pages of documents are searched for it, and no more. */
const SEARCHED_PAGES = 8;

export class NavElement extends HTMLElement {
  #life = new AbortController();
  #seen = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) this.#start();
  });
  #tree;
  #list;

  connectedCallback() {
    this.#life = new AbortController();
    this.addEventListener("toggle", this.#toggled, { capture: true, signal: this.#life.signal });
    if (!this.#list) this.#seen.observe(this);
  }

  disconnectedCallback() {
    this.#life.abort();
    this.#seen.disconnect();
    if (!this.#list) this.#rest();
  }

  async #start() {
    this.#seen.disconnect();
    const { signal } = this.#life;
    const skeleton = skeletonLines();
    this.dataset.state = "loading";
    this.append(skeleton);
    try {
      const root = await thisSite.rootObject(signal);
      this.#tree = new Tree(await thisSite.object("overview", root.overview, signal));
      const list = document.createElement("ul");
      await this.#fill(list, this.#tree.top, signal);
      await this.#openTrail(list, signal);
      skeleton.replaceWith(list);
      this.#list = list;
      this.dataset.state = "ready";
      const here = list.querySelector("[aria-current]");
      if (here && this.parentElement) showInBox(here, this.parentElement);
    } catch {
      if (signal.aborted) return;
      skeleton.remove();
      this.dataset.state = "failed";
    }
  }

  #rest() {
    this.querySelector(":scope > .skeleton")?.remove();
    delete this.dataset.state;
  }

  async #openTrail(list, signal) {
    let here = list;
    for (const category of await this.#trail(signal)) {
      const details = here.querySelector(`:scope > li > details[data-category="${category.id}"]`);
      here = details.querySelector("ul");
      await this.#fill(here, category, signal);
      details.open = true;
    }
  }

  async #trail(signal) {
    const { docId = "", path = "[]" } = this.dataset;
    const trail = this.#tree.trail(JSON.parse(path), docId);
    if (docId === "") return trail;
    const documents = await this.#documents(trail.at(-1) ?? this.#tree.top, signal);
    if (documents.some((document) => document.docId === docId)) return trail;
    if (this.#tree.pages.length > SEARCHED_PAGES) return trail;
    const pages = await Promise.all(this.#tree.pages.map((page) => thisSite.object("category", page, signal)));
    const category = this.#tree.category(categoryOf(docId, pages));
    return category ? this.#tree.lineage(category) : trail;
  }

  #toggled = async ({ target: details }) => {
    const list = details.querySelector(":scope > ul");
    if (!details.open || !list || list.childElementCount > 0) return;
    const { signal } = this.#life;
    list.append(asItem(skeletonLines()));
    try {
      const filled = document.createElement("ul");
      await this.#fill(filled, this.#tree.category(Number(details.dataset.category)), signal);
      list.replaceChildren(...filled.childNodes);
    } catch {
      list.replaceChildren(...(signal.aborted ? [] : [asItem(this.#fallback())]));
      if (signal.aborted) details.open = false;
    }
  };

  async #fill(list, category, signal) {
    const documents = await this.#documents(category, signal);
    const children = category === this.#tree.top ? this.#ownLanguageFirst(category.children) : category.children;
    list.append(...children.map((child) => this.#branch(child)));
    for (const { docId, title, url } of documents) {
      const address = pageAddress(thisSite.root, url);
      if (!address) continue;
      const leaf = this.#leaf(docId, title, address);
      // The home page comes first, as it does for those who turn the pages.
      if (url === "") list.prepend(leaf);
      else list.append(leaf);
    }
  }

  #ownLanguageFirst(categories) {
    return byLanguage(categories, document.documentElement.lang, this.dataset.languages?.split(" ") ?? []);
  }

  async #documents(category, signal) {
    const references = this.#tree.pagesOf(category);
    const pages = await Promise.all(references.map((page) => thisSite.object("category", page, signal)));
    return pages.flatMap((page) => documentsOf(page, category));
  }

  #branch(category) {
    const details = document.createElement("details");
    details.dataset.category = category.id;
    const summary = document.createElement("summary");
    const count = document.createElement("span");
    count.className = "n";
    count.textContent = category.count;
    const title = document.createElement("span");
    title.textContent = category.title;
    summary.append(icon("chevron", this.dataset.sprite), title, count);
    details.append(summary, document.createElement("ul"));
    return asItem(details);
  }

  #leaf(docId, title, address) {
    const link = document.createElement("a");
    link.href = address;
    link.textContent = title;
    if (docId === this.dataset.docId) link.setAttribute("aria-current", "page");
    return asItem(link);
  }

  #fallback() {
    const link = this.querySelector(":scope > .fallback").cloneNode(true);
    link.removeAttribute("class");
    return link;
  }
}

function asItem(child) {
  const item = document.createElement("li");
  item.append(child);
  return item;
}

function skeletonLines() {
  const skeleton = document.createElement("div");
  skeleton.className = "skeleton";
  skeleton.setAttribute("aria-hidden", "true");
  skeleton.append(...Array.from({ length: 3 }, () => document.createElement("i")));
  return skeleton;
}
