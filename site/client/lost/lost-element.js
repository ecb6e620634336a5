/* <nb-lost>: at an address that leads nowhere, the notes nearest to its last part. The section in it stays hidden
   while there is nothing to offer. */
import { pageAddress } from "../knowledge/addresses.js";
import { thisSite } from "../knowledge/this-site.js";
import { readDoc } from "../search/search-base.js";
import { Search } from "../search/search.js";
import { wantedWords } from "./wanted-words.js";

const SUGGESTIONS = 5;

export class LostElement extends HTMLElement {
  #life;

  async connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    const words = wantedWords(location.pathname);
    if (words === "") return;
    try {
      const { hits } = await new Search(thisSite).find(words, { limit: SUGGESTIONS, typing: true }, signal);
      const pages = await Promise.all(
        hits.map(async (hit) => hit.row ?? readDoc(thisSite, hit.id, hit.doc, signal).catch(() => undefined)),
      );
      if (!signal.aborted) this.#show(pages.filter(Boolean));
    } catch {
      // Nothing to offer: the page says what it says without it.
    }
  }

  disconnectedCallback() {
    this.#life.abort();
  }

  #show(pages) {
    const items = pages.map(({ title, url, language }) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      const address = pageAddress(thisSite.root, url);
      if (address) link.href = address;
      link.textContent = title;
      link.lang = language;
      link.dir = "auto";
      item.append(link);
      return item;
    });
    this.querySelector("ul").replaceChildren(...items);
    this.querySelector("section").hidden = items.length === 0;
  }
}
