/* The links of a whole site as one picture of live documents: what the search base holds, and what is newer.
   A document that was edited stands where its newest row is; what an older row says of it leads there. */
import { DocumentRows } from "./document-rows.js";
import { readDoc } from "../search/search-base.js";

/**
 * @typedef {{label: string, terms: string[], members: number[]}} Group
 */

export class Network {
  /** Pairs of ordinals, each from the linking to the linked document. */
  links = new Int32Array(0);
  /** By ordinal the number of its group; -1 for none. */
  group = new Int32Array(0);
  /** @type {Group[]} */
  groups = [];

  #site;
  #rows;
  #delta;
  #dropped;
  #instead = new Map();
  #out;
  #in;

  /** @throws {KnowledgeError | DOMException} */
  static async read(site, signal) {
    const root = await site.rootObject(signal);
    const [delta, graph, clusters, ...segments] = await Promise.all([
      site.object("delta", root.delta, signal),
      site.object("graph", root.graph, signal),
      site.object("clusters", root.clusters, signal),
      ...root.segments.map((reference) => site.object("segment", reference, signal)),
    ]);
    const network = new Network(site, new DocumentRows(site, segments, delta), delta);
    const [pages] = await Promise.all([
      Promise.all(graph.pages.map(([sha256, size]) => site.object("edges", { sha256, size }, signal))),
      network.#resolveDropped(segments.length, signal),
    ]);
    network.#setLinks(network.#publishedLinks(pages));
    network.#setGroups(clusters.clusters);
    return network;
  }

  constructor(site, rows, delta) {
    this.#site = site;
    this.#rows = rows;
    this.#delta = delta.docs;
    this.#dropped = new Set(delta.drop.map(([segment, ordinal]) => rows.offset(segment) + ordinal));
  }

  get rows() {
    return this.#rows;
  }

  /** How many ordinals there are, live or not. */
  get size() {
    return this.#rows.size;
  }

  /** Whether a document stands there: it was not dropped, and as far as is known there is one. */
  isLive(ordinal) {
    if (this.#dropped.has(ordinal)) return false;
    const row = this.#rows.known(ordinal);
    return row ? row.id !== "" : this.group[ordinal] >= 0 || this.degree(ordinal) > 0;
  }

  /** Whether what stood there is gone, or stands elsewhere now. */
  isDropped(ordinal) {
    return this.#dropped.has(ordinal);
  }

  /** Documents it links to, ascending. */
  outgoing(ordinal) {
    return between(this.#out, ordinal);
  }

  /** Documents that link to it, ascending. */
  incoming(ordinal) {
    return between(this.#in, ordinal);
  }

  degree(ordinal) {
    return this.outgoing(ordinal).length + this.incoming(ordinal).length;
  }

  /** Some documents, the most linked first. */
  byDegree(ordinals) {
    return [...ordinals].sort((one, other) => this.degree(other) - this.degree(one) || one - other);
  }

  /** Reads all rows, and the links of documents newer than the graph. */
  async complete(signal, progress) {
    const [docs] = await Promise.all([
      Promise.all(this.#delta.map(([id, , , sha256, size]) => readDoc(this.#site, id, { sha256, size }))),
      this.#rows.loadAll(signal, progress),
    ]);
    const newer = docs.flatMap((doc, number) => linkedIds(doc).flatMap((id) => this.#newLink(number, id)));
    if (newer.length > 0) this.#setLinks([...this.links, ...newer]);
    this.#adopt();
  }

  #newLink(number, id) {
    const target = this.#rows.ordinalOf(id);
    return target === undefined || this.#dropped.has(target) ? [] : [this.#rows.end + number, target];
  }

  async #resolveDropped(segments, signal) {
    if (this.#dropped.size === 0) return;
    await Promise.all([
      this.#rows.load(this.#dropped, signal),
      segments > 1 ? this.#rows.loadAll(signal, undefined, 1) : undefined,
    ]);
    for (const ordinal of this.#dropped) {
      const newest = this.#rows.ordinalOf(this.#rows.known(ordinal)?.id);
      if (newest !== undefined && !this.#dropped.has(newest)) this.#instead.set(ordinal, newest);
    }
  }

  /* The live ordinal for one that is named somewhere; -1 for none. */
  #live(ordinal) {
    if (this.#dropped.has(ordinal)) return this.#instead.get(ordinal) ?? -1;
    return ordinal < this.size ? ordinal : -1;
  }

  #publishedLinks(pages) {
    const links = [];
    for (const { rows } of pages) {
      for (const [source, targets] of rows) {
        // What a dropped row says is old; its document's newest row, or its text, says what holds.
        if (this.#dropped.has(source)) continue;
        for (const target of targets) {
          const live = this.#live(target);
          if (live >= 0 && live !== source) links.push(source, live);
        }
      }
    }
    return links;
  }

  #setLinks(links) {
    this.links = Int32Array.from(links);
    this.#out = adjacency(this.links, this.size, 0);
    this.#in = adjacency(this.links, this.size, 1);
  }

  #setGroups(clusters) {
    this.group = new Int32Array(this.size).fill(-1);
    this.groups = clusters.map(({ label, terms, ordinals }, number) => {
      const members = [...new Set(ordinals.map((ordinal) => this.#live(ordinal)))].filter((ordinal) => ordinal >= 0);
      for (const ordinal of members) this.group[ordinal] = number;
      return { label, terms, members };
    });
    this.#adopt();
  }

  /* A document in no group stands with most of those it is linked with. */
  #adopt() {
    for (let ordinal = 0; ordinal < this.size; ordinal += 1) {
      if (this.group[ordinal] >= 0 || this.#dropped.has(ordinal)) continue;
      const votes = new Map();
      for (const other of [...this.outgoing(ordinal), ...this.incoming(ordinal)]) {
        if (this.group[other] >= 0) votes.set(this.group[other], (votes.get(this.group[other]) ?? 0) + 1);
      }
      const [most] = [...votes].sort(([a, one], [b, two]) => two - one || a - b);
      if (!most) continue;
      this.group[ordinal] = most[0];
      this.groups[most[0]].members.push(ordinal);
    }
  }
}

/** The documents that a document's text links to or embeds, each once. */
export function linkedIds(doc) {
  const isMeant = ({ kind, to }) => (kind === "doc" || kind === "embed") && to !== doc.id;
  return [...new Set(doc.links.filter(isMeant).map(({ to }) => to))];
}

/* Lists of neighbours by ordinal, one behind another; side: 0 for the linked by the linking, 1 the other way. */
function adjacency(links, size, side) {
  const starts = new Int32Array(size + 1);
  for (let at = side; at < links.length; at += 2) starts[links[at] + 1] += 1;
  for (let ordinal = 0; ordinal < size; ordinal += 1) starts[ordinal + 1] += starts[ordinal];
  const next = starts.slice();
  const others = new Int32Array(links.length / 2);
  for (let at = 0; at < links.length; at += 2) {
    const place = next[links[at + side]];
    next[links[at + side]] += 1;
    others[place] = links[at + 1 - side];
  }
  return { starts, others };
}

function between({ starts, others }, ordinal) {
  return others.subarray(starts[ordinal], starts[ordinal + 1]);
}
