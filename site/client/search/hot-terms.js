/* Which terms are in very many units, from the lists of all segments, as bridge_reader/search/hot_terms.py. */

/** How many live units have the terms that segments list. */
export class HotTerms {
  #floors;
  #listed;

  /** @param {import("./segment.js").Segment[]} segments  @param {number[][]} dropped of each list, units that are gone */
  constructor(segments, dropped) {
    this.#floors = segments.map(({ hotFloor }) => hotFloor);
    this.#listed = segments.map(
      ({ hot }, number) => new Map(hot.map(([term, units], place) => [term, [units, dropped[number]?.[place] ?? 0]])),
    );
  }

  /** Live units that are listed for a term, and how many more there may be at most. @returns {[number, number]} */
  bounds(term) {
    const listed = this.#listed.map((found) => found.get(term) ?? [0, 0]);
    const units = listed.reduce((sum, [all, gone]) => sum + all - gone, 0);
    return [units, this.silent(term).reduce((sum, number) => sum + this.#floors[number] - 1, 0)];
  }

  /** The segments that do not list a term. @returns {number[]} */
  silent(term) {
    return [...this.#listed.keys()].filter((number) => !this.#listed[number].has(term));
  }

  /** Units of a segment's dropped rows that have a term; 0 for one that it does not list. */
  gone(segment, term) {
    return this.#listed[segment].get(term)?.[1] ?? 0;
  }
}
