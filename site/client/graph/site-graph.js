/* The graph of the whole site: the picture, what is found and chosen in it, and the list beside it. */
import { pageAddress } from "../knowledge/addresses.js";
import { thisSite } from "../knowledge/this-site.js";
import { readDoc } from "../search/search-base.js";
import { arranged } from "./arranging.js";
import { Facet } from "./facet.js";
import { Network } from "./network.js";
import { Scene } from "./scene.js";
import { Stage } from "./stage.js";

const SMALL = 2000; // documents up to which all is read before the picture; beyond, groups come first
const FOUND = 40;
const PADDING = { top: 84, right: 40, bottom: 36, left: 40 };
const STEPS = 2;

/** @param {HTMLElement} host an <nb-graph data-scope="site">  @throws {KnowledgeError | DOMException} */
export async function draw(host, signal) {
  const graph = new SiteGraph(host, signal);
  await graph.start();
}

class SiteGraph {
  #host;
  #signal;
  #canvas;
  #facet;
  #stage;
  #scene;
  #network;
  #scope = "all";

  constructor(host, signal) {
    this.#host = host;
    this.#signal = signal;
    this.#canvas = host.querySelector("canvas");
    const actions = { choose: (ordinal) => this.#choose(ordinal, true), group: (number) => this.#showGroup(number) };
    this.#facet = new Facet(host.querySelector(".facet"), host.dataset, actions);
  }

  async start() {
    this.#network = await Network.read(thisSite, this.#signal);
    this.#facet.network = this.#network;
    this.#facet.showGroups();
    this.#host.dataset.state = "listed";
    this.#listen();
    const isSmall = this.#network.size <= SMALL;
    if (isSmall) await this.#network.complete(this.#signal);
    await this.#drawPicture();
    if (!isSmall) await this.#network.complete(this.#signal, () => this.#stage?.draw());
    this.#renew();
    this.#host.dataset.complete = "";
    this.#chooseNamed();
  }

  async #drawPicture() {
    const heard = {
      chosen: (ordinal) => this.#choose(ordinal, false),
      opened: (ordinal) => this.#open(ordinal),
      grouped: (number) => this.#showGroup(number),
      drawn: () => this.#drawn(),
    };
    this.#stage = Stage.on(this.#canvas, heard, { padding: PADDING }, this.#signal);
    if (!this.#stage) {
      this.#withoutPicture();
      return;
    }
    const network = this.#network;
    const group = Int32Array.from({ length: network.size }, (_, ordinal) =>
      network.isDropped(ordinal) ? -2 : network.group[ordinal],
    );
    const aspect = this.#stage.aspect > 1.2 ? 1.5 : this.#stage.aspect < 0.9 ? 0.7 : 1;
    const given = { group, groups: network.groups.length, links: network.links, aspect };
    const arrangement = await arranged(given, this.#signal);
    this.#scene = new Scene({
      arrangement,
      links: network.links,
      labels: network.groups.map(({ label }) => label),
      titleOf: (ordinal) => network.rows.known(ordinal)?.title,
      isShown: this.#shown(),
    });
    this.#stage.scene = this.#scene;
  }

  #drawn() {
    if (this.#host.dataset.state === "ready") return;
    this.#host.dataset.state = "ready";
    performance.mark("nb-graph-picture");
  }

  /* No canvas: the list alone. */
  #withoutPicture() {
    this.#host.classList.add("unpictured");
    this.#host.dataset.state = "ready";
  }

  #renew() {
    this.#scene?.renew(this.#network.links, this.#shown());
    this.#stage?.draw();
    const live = [...Array(this.#network.size).keys()].filter((ordinal) => this.#network.isLive(ordinal));
    this.#canvas.setAttribute("aria-label", this.#host.dataset.picture.replace("{n}", live.length));
  }

  #shown() {
    const network = this.#network;
    if (this.#scope === "orphans") return (ordinal) => network.isLive(ordinal) && network.degree(ordinal) === 0;
    if (this.#scope !== "steps" || this.#scene.selected < 0) return (ordinal) => network.isLive(ordinal);
    const within = this.#scene.within(this.#scene.selected, STEPS);
    return (ordinal) => within.has(ordinal) && network.isLive(ordinal);
  }

  #listen() {
    const options = { signal: this.#signal };
    const field = this.#host.querySelector("input[type=search]");
    field.addEventListener("input", () => this.#find(field.value), options);
    field.addEventListener("keydown", (event) => this.#foundKey(event, field.value), options);
    this.#host.addEventListener("click", ({ target }) => this.#pressed(target.closest("button")), options);
  }

  #pressed(button) {
    if (button?.dataset.zoom === "fit") this.#stage?.fit();
    else if (button?.dataset.zoom) this.#stage?.zoom(Number(button.dataset.zoom));
    else if (button?.dataset.show) this.#setScope(button.dataset.show);
  }

  #setScope(scope) {
    this.#scope = scope;
    for (const button of this.#host.querySelectorAll("[data-show]")) {
      button.setAttribute("aria-pressed", String(button.dataset.show === scope));
    }
    if (scope === "orphans") this.#facet.showOrphans();
    else if (this.#scene?.selected >= 0) this.#facet.showNote(this.#scene.selected);
    else this.#facet.showGroups();
    if (!this.#scene) return;
    this.#scene.show(this.#shown());
    this.#stage.fit();
  }

  #choose(ordinal, reveal) {
    this.#select(ordinal);
    this.#facet.showNote(ordinal);
    if (!this.#scene) return;
    if (this.#scope === "steps") {
      this.#scene.show(this.#shown());
      this.#stage.fit();
    } else if (reveal || document.activeElement === this.#canvas) {
      this.#stage.reveal(ordinal);
    }
    this.#stage.draw();
  }

  #select(ordinal) {
    this.#scene?.select(ordinal);
    this.#host.querySelector("[data-show=steps]").disabled = ordinal < 0;
    const id = this.#network.rows.known(ordinal)?.id;
    const address = new URL(location.href);
    address.search = id ? new URLSearchParams({ note: id }) : "";
    history.replaceState(history.state, "", address);
  }

  #showGroup(number) {
    if (number >= this.#network.groups.length) return;
    this.#select(-1);
    if (number < 0) {
      this.#facet.showGroups();
    } else {
      this.#facet.showGroup(number);
      if (this.#scene) this.#stage.show(this.#network.groups[number].members);
    }
    this.#stage?.draw();
  }

  #find(text) {
    if (text.trim() === "") return this.#facet.showGroups();
    return this.#facet.showFound(text, this.#matches(text));
  }

  #matches(text) {
    const wanted = text.trim().normalize("NFKC").toLowerCase();
    const found = [];
    for (let ordinal = 0; ordinal < this.#network.size; ordinal += 1) {
      const row = this.#network.isLive(ordinal) && this.#network.rows.known(ordinal);
      const at = row ? row.title.normalize("NFKC").toLowerCase().indexOf(wanted) : -1;
      if (at >= 0) found.push({ ordinal, rank: at === 0 ? 0 : 1, length: row.title.length });
    }
    found.sort((one, other) => one.rank - other.rank || one.length - other.length || one.ordinal - other.ordinal);
    return found.slice(0, FOUND).map(({ ordinal }) => ordinal);
  }

  #foundKey(event, text) {
    if (event.key !== "Enter" || event.isComposing || text.trim() === "") return;
    const [first] = this.#matches(text);
    if (first !== undefined) this.#choose(first, true);
  }

  /* A link may name a note or a group. */
  #chooseNamed() {
    const asked = new URLSearchParams(location.search);
    const ordinal = this.#network.rows.ordinalOf(asked.get("note") ?? "");
    if (ordinal !== undefined && this.#network.isLive(ordinal)) this.#choose(ordinal, true);
    else if (/^\d{1,6}$/u.test(asked.get("group") ?? "")) this.#showGroup(Number(asked.get("group")));
  }

  async #open(ordinal) {
    const row = this.#network.rows.known(ordinal);
    if (!row) return;
    const { url } = await readDoc(thisSite, row.id, row.doc);
    const address = pageAddress(thisSite.root, url);
    if (address && !this.#signal.aborted) location.assign(address);
  }
}
