/* Of a term in very many units only the best postings count: which, whatever segments they are in. As
   bridge_reader/search/common_terms.py: what is spread over several segments is cut at the impact at which a base over
   all documents would cut it, so that it ranks alike. */

const POSTINGS_LIMIT = 4096;
const IMPACTS = 16;

/**
 * What one segment has of a term: live postings. rest: where the others are, how many there are in all (`count`), from
 * which impact on every posting stays here (`least`), and how many have the one below (`below`). gone: how many of the
 * term's postings are of dropped rows, those of the rest included.
 * @typedef {{postings: number[], rest?: {sha256: string, size: number, count: number, least?: number, below?: number},
 *   gone?: number}} TermPart
 */

/** All live postings of a part, those of the rest included. @param {TermPart} part */
export function liveIn({ postings, rest, gone = 0 }) {
  return rest ? rest.count - gone : postings.length;
}

/** From which impact on postings count; undefined if that cannot be said without the rests. @param {TermPart[]} parts */
export function leastImpact(parts) {
  const live = parts.reduce((sum, part) => sum + liveIn(part), 0);
  if (live <= POSTINGS_LIMIT) return parts.some(({ rest }) => rest) ? undefined : 0;
  const levels = new Array(IMPACTS + 1).fill(0);
  for (const { postings } of parts) for (const posting of postings) levels[posting % IMPACTS] += 1;
  const known = Math.max(...parts.map(({ rest }) => (rest ? (rest.least ?? 0) : 1)));
  let counted = 0;
  for (let impact = IMPACTS; impact >= known; impact -= 1) {
    counted += levels[impact] ?? 0;
    if (counted > POSTINGS_LIMIT) return impact + 1;
  }
  // All that is known stays: it is the least unless the next impact would fit as well.
  const below = parts.reduce((sum, part) => sum + surelyAt(part, known - 1), 0);
  return counted + below > POSTINGS_LIMIT ? known : undefined;
}

/* How many live postings of an impact there are at least. */
function surelyAt({ postings, rest, gone = 0 }, impact) {
  if (rest && rest.least === impact + 1) return Math.max(0, (rest.below ?? 0) - gone);
  return postings.filter((posting) => posting % IMPACTS === impact).length;
}
