/* The stretch of a section to show under a result: the one that says most of what was searched for. */

const LENGTH = 124; // in widths of a Latin letter; a Chinese character takes two
const BEFORE = 40;
const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]/u;
const SEPARATOR = " ";

/**
 * @param {import("./markdown-blocks.js").Block[]} blocks of the section, its own heading left out
 * @param {import("./highlights.js").Highlights} highlights
 * @param {(term: string) => number} worth how much a term tells
 * @returns {{text: string, ranges: {start: number, end: number}[]}}
 */
export function excerptOf(blocks, highlights, worth) {
  const text = blocks.map(plainText).filter((each) => each !== "").join(SEPARATOR);
  const found = highlights.in(text);
  const from = found.length > 0 ? startBefore(text, bestPlace(text, found, worth)) : 0;
  const to = endAfter(text, from);
  const lead = from > 0 ? "… " : "";
  const shown = `${lead}${text.slice(from, to).trim()}${to < text.length ? " …" : ""}`;
  return { text: shown, ranges: highlights.in(shown) };
}

function plainText({ runs, cells }) {
  const parts = cells ? cells.map((cell) => cell.map(({ text }) => text).join("")) : [runs.map(({ text }) => text).join("")];
  return parts.filter((part) => part.trim() !== "").join(" · ").replace(/\s+/gu, " ").trim();
}

/* The place from which most is told before the excerpt ends; the first of equals. */
function bestPlace(text, found, worth) {
  let best = { told: -1, start: 0 };
  found.forEach(({ start }, number) => {
    const end = endAfter(text, start);
    const terms = new Set();
    for (let next = number; next < found.length && found[next].end <= end; next += 1) {
      for (const term of found[next].terms) terms.add(term);
    }
    const told = [...terms].reduce((sum, term) => sum + worth(term), 0);
    if (told > best.told) best = { told, start };
  });
  return best.start;
}

/* A little before, at the beginning of a sentence if one is near, else of a word. */
function startBefore(text, place) {
  let from = place;
  for (let room = BEFORE; from > 0 && room > 0; from -= 1) room -= widthOf(text[from - 1]);
  if (from === 0) return 0;
  const sentence = /^[^]*?[.!?。！？；]\s*/u.exec(text.slice(from, place));
  if (sentence) return from + sentence[0].length;
  const word = /^\S*\s+/u.exec(text.slice(from, place));
  return word && !WIDE.test(word[0]) ? from + word[0].length : wholeCharacter(text, from);
}

function endAfter(text, from) {
  let to = from;
  for (let room = LENGTH; to < text.length && room > 0; to += 1) room -= widthOf(text[to]);
  if (to === text.length) return to;
  const word = /\s+\S*$/u.exec(text.slice(from, to));
  return word && word[0].length < 20 && word.index > 0 ? from + word.index : wholeCharacter(text, to);
}

function widthOf(character) {
  return WIDE.test(character) ? 2 : 1;
}

/* Never between the halves of a surrogate pair. */
function wholeCharacter(text, place) {
  const unit = text.charCodeAt(place);
  return unit >= 0xdc00 && unit <= 0xdfff ? place + 1 : place;
}
