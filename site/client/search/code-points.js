/* Published positions count code points; a JavaScript string counts UTF-16 units. */

const SURROGATE = /[\ud800-\udfff]/;

/** How many code points a text has. */
export function codePointCount(text) {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The first `limit` code points of a text. */
export function firstCodePoints(text, limit) {
  if (text.length <= limit || !SURROGATE.test(text)) return text.slice(0, limit);
  return [...text.slice(0, 2 * limit)].slice(0, limit).join("");
}

/** Slices of one text by code points, start up to and without end. */
export class CodePoints {
  #text;
  #points;

  constructor(text) {
    this.#text = text;
    this.#points = SURROGATE.test(text) ? [...text] : undefined;
  }

  slice(start, end) {
    return this.#points ? this.#points.slice(start, end).join("") : this.#text.slice(start, end);
  }
}

/** Orders strings by code points; the language's own `<` orders by UTF-16 units, which differs beyond U+FFFF. */
export function byCodePoints(left, right) {
  const length = Math.min(left.length, right.length);
  for (let place = 0; place < length; place += 1) {
    const one = left.charCodeAt(place);
    const other = right.charCodeAt(place);
    if (one !== other) return rank(one) - rank(other);
  }
  return left.length - right.length;
}

/* Units of a surrogate pair stand for code points above all that one unit holds. */
function rank(unit) {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
