/* Which labels find room. Labels never overlap: the more important take their place first, and one without room is
   left out. Plain numbers: no canvas. */

const BESIDE = 6; // between a dot and its label

/** @typedef {{left: number, top: number, width: number, height: number}} Box */

/**
 * @typedef {object} Wish
 * @property {number} x where the dot is, in pixels of the stage
 * @property {number} y
 * @property {number} radius of the dot
 * @property {number} width of the text
 * @property {number} height
 * @property {boolean} [centred] the text stands on the point, not beside a dot
 */

/**
 * @template {Wish} T
 * @param {T[]} wishes the most important first
 * @param {{width: number, height: number}} stage
 * @param {{dots?: Box[], covered?: Box[]}} around dots: better not written over. covered: what nobody would see
 * @returns {{wish: T, left: number, top: number}[]} those that found room, with the corner of their box
 */
export function placed(wishes, stage, { dots = [], covered = [] } = {}) {
  const taken = new Boxes(covered);
  const drawn = new Boxes(dots);
  const found = [];
  for (const wish of wishes) {
    const free = corners(wish).filter((each) => fits(each, wish, stage) && taken.isFree({ ...each, ...size(wish) }));
    const [corner] = free
      .map((each) => ({ ...each, dots: drawn.touching({ ...each, ...size(wish) }) }))
      .sort((one, other) => one.dots - other.dots);
    if (!corner) continue;
    taken.add({ ...corner, ...size(wish) });
    found.push({ wish, left: corner.left, top: corner.top });
  }
  return found;
}

function corners({ x, y, radius, width, height, centred }) {
  if (centred) return [{ left: x - width / 2, top: y - height / 2 }];
  const off = radius + BESIDE;
  return [
    { left: x + off, top: y - height / 2 },
    { left: x - off - width, top: y - height / 2 },
    { left: x - width / 2, top: y + off - 2 },
    { left: x - width / 2, top: y - off - height + 2 },
  ];
}

function size({ width, height }) {
  return { width, height };
}

function fits({ left, top }, { width, height }, stage) {
  return left >= 0 && top >= 0 && left + width <= stage.width && top + height <= stage.height;
}

/* Boxes by the cells of a coarse grid that they touch. */
class Boxes {
  #cells = new Map();

  constructor(boxes) {
    for (const box of boxes) this.add(box);
  }

  isFree(box) {
    return !cellsOf(box).some((key) => this.#cells.get(key)?.some((other) => touches(box, other)));
  }

  /** How many boxes it touches. */
  touching(box) {
    const found = new Set(cellsOf(box).flatMap((key) => this.#cells.get(key) ?? []));
    return [...found].filter((other) => touches(box, other)).length;
  }

  add(box) {
    for (const key of cellsOf(box)) {
      if (!this.#cells.has(key)) this.#cells.set(key, []);
      this.#cells.get(key).push(box);
    }
  }
}

const CELL = 96;

function cellsOf({ left, top, width, height }) {
  const keys = [];
  for (let column = Math.floor(left / CELL); column <= Math.floor((left + width) / CELL); column += 1) {
    for (let line = Math.floor(top / CELL); line <= Math.floor((top + height) / CELL); line += 1) {
      keys.push(column * 4096 + line);
    }
  }
  return keys;
}

function touches(one, other) {
  return (
    one.left < other.left + other.width &&
    other.left < one.left + one.width &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  );
}
