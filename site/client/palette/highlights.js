/* Where the terms of a search stand in a text as it is written. */
import { runPlaces, runs, tokens } from "../search/tokens.js";

/** The terms of a search, ready to be looked for. */
export class Highlights {
  #words = new Set();
  #prefixes = [];

  /** @param {import("../search/query-plan.js").QueryTerm[]} terms */
  constructor(terms) {
    for (const { term, prefix } of terms) {
      if (prefix) this.#prefixes.push(term);
      else this.#words.add(term);
    }
  }

  /** @returns {{start: number, end: number, terms: string[]}[]} in UTF-16 units, in order; words that follow each other as one */
  in(text) {
    const found = [];
    for (const { start, text: run } of runPlaces(text)) {
      for (const { from, to, tokens: candidates } of pieces(run)) {
        const terms = candidates.filter((token) => this.#has(token));
        if (terms.length === 0) continue;
        const last = found.at(-1);
        if (last && text.slice(last.end, start + from).trim() === "") {
          last.end = Math.max(last.end, start + to);
          last.terms.push(...terms);
        } else {
          found.push({ start: start + from, end: start + to, terms });
        }
      }
    }
    return found;
  }

  #has(token) {
    return this.#words.has(token) || this.#prefixes.some((prefix) => token.startsWith(prefix));
  }
}

/* What of a run gives tokens of its own: a word whole, of characters that go in pairs each pair. A run is normalised
   by itself, so that places stay those of the text. */
function pieces(run) {
  const [first] = runs(run);
  if (!first) return [];
  if (!first.bigrams) return [{ from: 0, to: run.length, tokens: first.tokens }];
  const plain = run.normalize("NFKC") === run;
  const characters = [...run];
  let from = 0;
  return characters.map((character, place) => {
    const pair = character + (characters[place + 1] ?? "");
    const piece = { from, to: from + pair.length, tokens: plain ? [pair] : tokens(pair).slice(0, 1) };
    from += character.length;
    return piece;
  });
}

/** Appends a text to an element, with what is found in it as `<mark>`. @param {Highlights} highlights */
export function appendMarked(element, text, highlights) {
  appendRanges(element, text, highlights.in(text));
}

/** Appends a text to an element, with these ranges of it as `<mark>`. */
export function appendRanges(element, text, ranges) {
  let reached = 0;
  for (const { start, end } of ranges) {
    const mark = document.createElement("mark");
    mark.textContent = text.slice(start, end);
    element.append(text.slice(reached, start), mark);
    reached = end;
  }
  element.append(text.slice(reached));
}
