/* Words that nobody wrote, and the ones meant: tried only when a search finds nothing at all, as
   bridge_reader/search/spelling.py does. Only words of spaced scripts, with their first letter right. */
import { byCodePoints, codePointCount } from "./code-points.js";
import { runs } from "./tokens.js";

const SHORTEST = 4;

/** Whether a term is a word that is worth a second look. */
export function mayBeMisspelt({ term, prefix }) {
  if (prefix || codePointCount(term) < SHORTEST) return false;
  return [...runs(term)].every((run) => !run.bigrams);
}

/**
 * The term one edit away that most units have; the first in code-point order among equals.
 * @param {[string, number][]} neighbours
 */
export function nearest(word, neighbours) {
  const [first] = word;
  const near = neighbours.filter(
    ([term]) => term.startsWith(first) && !term.includes(":") && oneEditApart([...word], [...term]),
  );
  near.sort((one, other) => other[1] - one[1] || byCodePoints(one[0], other[0]));
  return near[0]?.[0];
}

/* Whether one letter added, left out, changed, or swapped with the next makes them equal. */
function oneEditApart(left, right) {
  const [shorter, longer] = left.length <= right.length ? [left, right] : [right, left];
  if (longer.length - shorter.length > 1) return false;
  let start = 0;
  while (start < shorter.length && shorter[start] === longer[start]) start += 1;
  if (start === longer.length) return false;
  const rest = (letters, from) => letters.slice(from).join("");
  if (shorter.length < longer.length) return rest(shorter, start) === rest(longer, start + 1);
  const swapped = (longer[start + 1] ?? "") + longer[start] + rest(longer, start + 2);
  return rest(shorter, start + 1) === rest(longer, start + 1) || rest(shorter, start) === swapped;
}
