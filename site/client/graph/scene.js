/* What is in the picture and what is chosen in it. Plain data and questions about it: no canvas, no network. */

const ARROWS = { ArrowRight: 0, ArrowDown: 1, ArrowLeft: 2, ArrowUp: 3 };

export class Scene {
  selected = -1;
  hovered = -1;
  /** Linked with the selected one. @type {Set<number>} */
  near = new Set();

  #steps;

  /**
   * @param {object} given
   * @param {import("./layout.js").Arrangement} given.arrangement
   * @param {Int32Array} given.links pairs of ordinals
   * @param {string[]} given.labels of the groups
   * @param {(ordinal: number) => string | undefined} given.titleOf undefined while it is not known
   * @param {(ordinal: number) => boolean} given.isShown
   */
  constructor({ arrangement, links, labels, titleOf, isShown }) {
    this.arrangement = arrangement;
    this.links = links;
    this.labels = labels;
    this.titleOf = titleOf;
    this.show(isShown);
  }

  get size() {
    return this.arrangement.x.length;
  }

  /** Takes up links and documents that became known; who stands where stays. */
  renew(links, isShown) {
    this.links = links;
    this.#steps = undefined;
    this.show(isShown);
    this.select(this.selected);
  }

  /** Shows those documents alone. */
  show(isShown) {
    const { x } = this.arrangement;
    this.degree = new Int32Array(x.length);
    for (const ordinal of this.links) this.degree[ordinal] += 1;
    this.shown = Uint8Array.from(x, (_, ordinal) => (isShown(ordinal) ? 1 : 0));
    this.ordinals = [...this.shown.keys()].filter((ordinal) => this.shown[ordinal]);
    this.byDegree = [...this.ordinals].sort((one, other) => this.degree[other] - this.degree[one] || one - other);
    this.bundles = this.#bundled();
    this.linksWithin = this.#shownLinks((one, other) => one === other);
    this.linksAcross = this.#shownLinks((one, other) => one !== other);
  }

  select(ordinal) {
    this.selected = ordinal;
    this.near = new Set(ordinal < 0 ? [] : this.#neighbours(ordinal));
  }

  /** The documents within so many links of one, itself included. */
  within(ordinal, steps) {
    let edge = [ordinal];
    const found = new Set(edge);
    for (let step = 0; step < steps; step += 1) {
      edge = edge.flatMap((each) => this.#neighbours(each)).filter((each) => !found.has(each));
      for (const each of edge) found.add(each);
    }
    return found;
  }

  /** The document that an arrow key leads to: a linked one in that direction, else the nearest there; -1 for none. */
  towards(key) {
    if (this.selected < 0) return this.byDegree[0] ?? -1;
    const linked = this.#nearest([...this.near].filter((ordinal) => this.shown[ordinal]), ARROWS[key], 0.3);
    return linked >= 0 ? linked : this.#nearest(this.ordinals, ARROWS[key], 1);
  }

  /** The shown document nearest to a point of the picture, no farther than `reach`; -1 for none. */
  at(x, y, reach, radiusOf) {
    const { x: xs, y: ys } = this.arrangement;
    let best = -1;
    let nearest = Infinity;
    for (const ordinal of this.ordinals) {
      const distance = Math.hypot(xs[ordinal] - x, ys[ordinal] - y) - radiusOf(ordinal);
      if (distance < reach && distance < nearest) [best, nearest] = [ordinal, distance];
    }
    return best;
  }

  /** The group whose disc holds a point of the picture; -1 for none. */
  groupAt(x, y) {
    const { discs } = this.arrangement;
    const holds = (disc) => Math.hypot(disc.x - x, disc.y - y) < disc.radius;
    return discs.slice(0, this.labels.length).findIndex(holds);
  }

  /** The box around some documents, or around all that are shown. */
  box(ordinals = this.ordinals) {
    const { x, y } = this.arrangement;
    const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    for (const ordinal of ordinals) {
      box.left = Math.min(box.left, x[ordinal]);
      box.right = Math.max(box.right, x[ordinal]);
      box.top = Math.min(box.top, y[ordinal]);
      box.bottom = Math.max(box.bottom, y[ordinal]);
    }
    return box.left <= box.right ? box : { left: 0, top: 0, right: 0, bottom: 0 };
  }

  #nearest(ordinals, direction, sideways) {
    const { x, y } = this.arrangement;
    let best = -1;
    let least = Infinity;
    for (const ordinal of ordinals) {
      if (ordinal === this.selected) continue;
      const [dx, dy] = [x[ordinal] - x[this.selected], y[ordinal] - y[this.selected]];
      const ahead = [dx, dy, -dx, -dy][direction];
      const beside = Math.abs(direction % 2 ? dx : dy);
      if (ahead <= 0 || beside > ahead * 1.2) continue;
      const cost = ahead * sideways + beside + ahead * 0.5;
      if (cost < least) [best, least] = [ordinal, cost];
    }
    return best;
  }

  #neighbours(ordinal) {
    this.#steps ??= neighboursOf(this.links);
    return this.#steps.get(ordinal) ?? [];
  }

  /* Links of which both ends are shown, by the groups of these. */
  #shownLinks(isMeant) {
    const { group } = this.arrangement;
    const found = [];
    for (let at = 0; at < this.links.length; at += 2) {
      const [a, b] = [this.links[at], this.links[at + 1]];
      if (this.shown[a] && this.shown[b] && isMeant(group[a], group[b])) found.push(a, b);
    }
    return Int32Array.from(found);
  }

  /* Links between groups, many as one: what is drawn while single links would be a blur. */
  #bundled() {
    const { discs, group } = this.arrangement;
    const found = new Map();
    for (let at = 0; at < this.links.length; at += 2) {
      const [a, b] = [group[this.links[at]], group[this.links[at + 1]]];
      if (a === b || a < 0 || b < 0) continue;
      const key = Math.min(a, b) * discs.length + Math.max(a, b);
      found.set(key, (found.get(key) ?? 0) + 1);
    }
    const bundles = [...found].map(([key, count]) => {
      return { a: Math.floor(key / discs.length), b: key % discs.length, count };
    });
    return bundles.sort((one, other) => other.count - one.count).slice(0, 3 * discs.length);
  }
}

function neighboursOf(links) {
  const found = new Map();
  const add = (one, other) => {
    if (!found.has(one)) found.set(one, []);
    found.get(one).push(other);
  };
  for (let at = 0; at < links.length; at += 2) {
    add(links[at], links[at + 1]);
    add(links[at + 1], links[at]);
  }
  return found;
}
