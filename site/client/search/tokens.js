/* Tokens, version nb-1; the rules stand in manifest/tokens.py and in the notes. Vectors hold both to them. */
import { codePointCount, firstCodePoints } from "./code-points.js";
import { marksInOrder } from "./combining-marks.js";
import { ASSIGNED, WORD } from "./unicode14.js";

export const TOKENS_VERSION = "nb-1";

const TOKEN_LIMIT = 64;

const BIGRAM_BLOCKS =
  "\\u{e00}-\\u{eff}\\u{f00}-\\u{fff}\\u{1000}-\\u{109f}\\u{1100}-\\u{11ff}\\u{1780}-\\u{17ff}\\u{1950}-\\u{19ff}" +
  "\\u{1a20}-\\u{1aaf}\\u{2e80}-\\u{2fdf}\\u{3005}-\\u{3007}\\u{3021}-\\u{3029}\\u{3031}-\\u{3035}\\u{3038}-\\u{303c}" +
  "\\u{3041}-\\u{318f}\\u{31a0}-\\u{31bf}\\u{31f0}-\\u{31ff}\\u{3400}-\\u{4dbf}\\u{4e00}-\\u{a4cf}\\u{a960}-\\u{a97f}" +
  "\\u{a9e0}-\\u{a9ff}\\u{aa60}-\\u{aadf}\\u{ac00}-\\u{d7ff}\\u{f900}-\\u{faff}\\u{1aff0}-\\u{1b16f}\\u{20000}-\\u{3134f}";

const UNASSIGNED = new RegExp(`[^${ASSIGNED}]`, "gu");
const BIGRAM = `[[${WORD}]&&[${BIGRAM_BLOCKS}]]`;
const SPACED = `[[${WORD}_]--[${BIGRAM_BLOCKS}]]`;
const RUN = new RegExp(`(${BIGRAM}+)|(${SPACED}+(?:['\u2019]${SPACED}+)*)(\\+\\+|#(?!${SPACED}))?`, "gv");
const PART = /[A-Z]+(?![a-z])[^A-Z_]*|[A-Z]?[^A-Z_]+|[A-Z]/gu;
const ASCII = /^[\0-\x7f]*$/;

/**
 * A stretch of text that gives tokens.
 * @typedef {{tokens: string[], bigrams: boolean}} Run bigrams: its characters go in pairs
 */

/** @param {string} text  @returns {Generator<Run>} the runs of a text, in order */
export function* runs(text) {
  for (const [, characters, word, suffix] of normalForm(text).matchAll(RUN)) {
    if (characters) {
      yield { tokens: pairs(lower(characters)), bigrams: true };
    } else {
      const found = wordTokens(word, suffix ?? "");
      if (found.length > 0) yield { tokens: found, bigrams: false };
    }
  }
}

/** All tokens of a text in order, repeated as often as they occur. */
export function tokens(text) {
  return [...runs(text)].flatMap((run) => run.tokens);
}

/**
 * Where in a text, as it is written, the runs stand.
 * @returns {Generator<{start: number, end: number, text: string}>} in UTF-16 units
 */
export function* runPlaces(text) {
  for (const match of text.matchAll(RUN)) {
    yield { start: match.index, end: match.index + match[0].length, text: match[0] };
  }
}

function normalForm(text) {
  return ASCII.test(text) ? text : marksInOrder(text.replace(UNASSIGNED, " ")).normalize("NFKC");
}

function pairs(text) {
  const characters = [...text];
  return characters.map((character, place) => character + (characters[place + 1] ?? ""));
}

function lower(text) {
  return text.toLowerCase().replaceAll("ς", "σ");
}

function wordTokens(word, suffix) {
  const bare = word.replace(/['\u2019]/g, "").replace(/^_+|_+$/g, "");
  if (bare === "") return [];
  const found = [firstCodePoints(lower(bare), TOKEN_LIMIT)];
  if (suffix) found.push(found[0] + suffix);
  if (!/[A-Z_]/.test(bare)) return found;
  const parts = (bare.match(PART) ?? []).filter((part) => codePointCount(part) > 1);
  if (parts.length === 1 && parts[0] === bare) return found;
  return [...found, ...parts.map((part) => firstCodePoints(lower(part), TOKEN_LIMIT))];
}
