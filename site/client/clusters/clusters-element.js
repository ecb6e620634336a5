/* <nb-clusters>: groups of notes that belong together, as far as the site publishes them. data-limit: the first so
   many, without their notes, under a heading of their own (data-title, data-all, data-open); else all, each with its
   most linked notes. data-graph: the page of the graph. Words: data-count, data-count-one, data-more, data-none,
   data-failed, data-comma. data-state: loading, ready, failed. */
import { thisSite } from "../knowledge/this-site.js";
import { Network } from "../graph/network.js";
import { element } from "../note-list.js";
import { noteLink } from "./note-link.js";
import { specimen } from "./specimen.js";

const NOTES = 6;
const FEW_PAGES = 4; // of the graph, up to which a home page reads it for its pictures
const TERMS = 4;

export class ClustersElement extends HTMLElement {
  #life;
  #network;
  #near;

  async connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    if (this.#network) return;
    this.dataset.state = "loading";
    try {
      const limit = Number(this.dataset.limit ?? Infinity);
      const network = (await this.#isCheap(signal)) ? await Network.read(thisSite, signal) : null;
      const groups = network?.groups ?? (await this.#bareGroups(signal));
      this.#network = network;
      this.#show(groups.slice(0, limit), Number.isFinite(limit));
      this.dataset.state = "ready";
    } catch (error) {
      if (signal.aborted) return;
      this.dataset.state = "failed";
      this.replaceChildren(...(this.dataset.failed ? [element("p", "hint", this.dataset.failed)] : []));
      console.warn("The groups could not be read", error);
    }
  }

  disconnectedCallback() {
    this.#life.abort();
    this.#near?.disconnect();
  }

  async #isCheap(signal) {
    if (!this.dataset.limit) return true;
    const root = await thisSite.rootObject(signal);
    const graph = await thisSite.object("graph", root.graph, signal);
    return graph.pages.length <= FEW_PAGES;
  }

  async #bareGroups(signal) {
    const root = await thisSite.rootObject(signal);
    const { clusters } = await thisSite.object("clusters", root.clusters, signal);
    return clusters.map(({ label, terms, ordinals }) => ({ label, terms, members: ordinals }));
  }

  #show(groups, isExtract) {
    if (groups.length === 0) {
      this.replaceChildren(...(this.dataset.none ? [element("p", "hint", this.dataset.none)] : []));
      return;
    }
    const list = element("ul", "clusters");
    list.append(...groups.map((group, number) => this.#cluster(group, number, isExtract)));
    this.replaceChildren(...(isExtract ? [this.#head(), list] : [list]));
    if (!isExtract) this.#fillWhenNear(list);
  }

  #head() {
    const head = element("div", "h-row");
    const heading = element("h2", "", this.dataset.title);
    const link = element("a", "", this.dataset.open);
    link.href = this.dataset.graph;
    const titled = element("a", "", this.dataset.title);
    titled.href = this.dataset.all;
    heading.replaceChildren(titled);
    head.append(heading, link);
    return head;
  }

  #cluster({ label, terms, members }, number, isExtract) {
    const item = element("li", "cl");
    const heading = element(isExtract ? "h3" : "h2");
    const link = element("a", "", label);
    link.dir = "auto";
    link.href = `${this.dataset.graph}?group=${number}`;
    heading.append(link);
    const said = members.length === 1 ? this.dataset.countOne : this.dataset.count.replace("{n}", members.length);
    const telling = terms.slice(0, TERMS).join(this.dataset.comma);
    const parts = [heading, element("p", "terms", telling), element("p", "n", said)];
    if (this.#network) parts.unshift(specimen(this.#network, members));
    item.append(...parts.filter((part) => part.localName !== "p" || part.textContent !== ""));
    if (!isExtract) item.dataset.group = number;
    return item;
  }

  /* The notes of a group are read when it comes near. */
  #fillWhenNear(list) {
    this.#near = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (!isIntersecting) continue;
          this.#near.unobserve(target);
          this.#fill(target).catch((error) => console.warn("The notes of a group could not be read", error));
        }
      },
      { rootMargin: "400px 0px" },
    );
    for (const item of list.children) this.#near.observe(item);
  }

  async #fill(item) {
    const { members } = this.#network.groups[Number(item.dataset.group)];
    const list = element("ul", "titles");
    await this.#append(list, this.#network.byDegree(members));
    item.append(list);
  }

  async #append(list, waiting) {
    const { signal } = this.#life;
    const some = waiting.slice(0, NOTES);
    await this.#network.rows.load(some, signal);
    const rows = some.map((ordinal) => this.#network.rows.known(ordinal)).filter((row) => row && row.id !== "");
    const items = rows.map((row) => {
      const item = element("li");
      item.append(noteLink(row, this.dataset.graph));
      return item;
    });
    list.append(...items);
    if (waiting.length > NOTES) list.append(this.#offerMore(list, waiting.slice(NOTES)));
    return items[0];
  }

  #offerMore(list, rest) {
    const item = element("li", "more");
    const button = element("button", "btn quiet", this.dataset.more.replace("{n}", rest.length));
    button.type = "button";
    button.addEventListener("click", async () => {
      button.disabled = true;
      const first = await this.#append(list, rest);
      item.remove();
      first?.querySelector("a")?.focus();
    });
    item.append(button);
    return item;
  }
}
