/* Documents newer than the segments, indexed in the page as the publisher would. */
import { pack } from "./ranking.js";
import { documentTerms, impact, unitTerms } from "./unit-terms.js";

const IMPACTS = 16;
const FACT_IMPACT = 1; // terms that state a fact (`tag:`, `link:`) are not weighed

export class DeltaIndex {
  #postings = new Map();
  #units = 0;

  /** @param {object[]} docs  @param {number} first the ordinal of the first of them */
  constructor(docs, { pivot, weights, first }) {
    docs.forEach((doc, number) => this.#add(doc, first + number, pivot, weights));
  }

  get units() {
    return this.#units;
  }

  /** The postings of a term, or of every term with that prefix, by term. @returns {Map<string, number[]>} */
  find({ term, prefix }) {
    if (prefix) return new Map([...this.#postings].filter(([key]) => key.startsWith(term)));
    return new Map(this.#postings.has(term) ? [[term, this.#postings.get(term)]] : []);
  }

  /** How many units have a term. */
  count(term) {
    return this.#postings.get(term)?.length ?? 0;
  }

  /** Every term with the number of its postings. */
  words() {
    return [...this.#postings].map(([term, found]) => [term, found.length]);
  }

  #add(doc, ordinal, pivot, weights) {
    unitTerms(doc, weights).forEach(({ length, frequencies }, unit) => {
      this.#units += 1;
      for (const [term, frequency] of frequencies) {
        this.#keep(term, pack(ordinal, unit * IMPACTS + impact(frequency, length, pivot)));
      }
    });
    for (const term of documentTerms(doc)) this.#keep(term, pack(ordinal, FACT_IMPACT));
  }

  #keep(term, posting) {
    const known = this.#postings.get(term);
    if (known) known.push(posting);
    else this.#postings.set(term, [posting]);
  }
}
