/* Cutting text into search units, as manifest/units.py does. Positions are code points. */
import { codePointCount } from "./code-points.js";
import { SPACE } from "./white-space.js";

export const UNIT_LIMIT = 2000;

const LINE = /[^\n]*\n|[^\n]+/gu;
const FENCE = /^[ \t>]*(`{3,}|~{3,})/u;
const BLANK = new RegExp(`^[${SPACE}]*$`, "u");

/**
 * Cuts a text into pieces of at most `limit` code points that cover it in order: each the longest prefix of what is
 * left that ends at a blank line outside a fence, else at a line's end, else exactly at the limit.
 * @returns {[number, number][]} start and end of each
 */
export function cut(text, limit) {
  const end = codePointCount(text);
  if (end <= limit) return end > 0 ? [[0, end]] : [];
  const { blankEnds, lineEnds } = boundaries(text);
  const pieces = [];
  let start = 0;
  while (end - start > limit) {
    const within = (positions) => lastWithin(positions, start, start + limit);
    const stop = within(blankEnds) || within(lineEnds) || start + limit;
    pieces.push([start, stop]);
    start = stop;
  }
  return [...pieces, [start, end]];
}

/**
 * All search units of a document in order. An empty section is a unit too: a note without text is still found by its
 * title.
 * @param {import("./code-points.js").CodePoints} points of the document's text
 * @returns {{section: number, start: number, end: number}[]}
 */
export function sectionUnits(points, sections) {
  return sections.flatMap(({ start, end }, section) => {
    const pieces = cut(points.slice(start, end), UNIT_LIMIT);
    if (pieces.length === 0) return [{ section, start, end }];
    return pieces.map(([from, to]) => ({ section, start: start + from, end: start + to }));
  });
}

/* Positions just after blank lines outside fences, and just after every line. */
function boundaries(text) {
  const blankEnds = [];
  const lineEnds = [];
  let fence = "";
  let position = 0;
  for (const [line] of text.matchAll(LINE)) {
    position += codePointCount(line);
    const mark = FENCE.exec(line);
    const rest = mark ? line.slice(mark[0].length) : "";
    if (fence) {
      if (mark?.[1].startsWith(fence) && BLANK.test(rest)) fence = "";
    } else if (mark && (mark[1][0] === "~" || !rest.includes("`"))) {
      fence = mark[1];
    } else if (BLANK.test(line)) {
      blankEnds.push(position);
    }
    lineEnds.push(position);
  }
  return { blankEnds, lineEnds };
}

/* The last position above `after` and at most `limit`; 0 if there is none. */
function lastWithin(positions, after, limit) {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low > 0 && positions[low - 1] > after ? positions[low - 1] : 0;
}
