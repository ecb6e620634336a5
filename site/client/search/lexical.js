/* From the terms of a question to ranked documents, as bridge_reader/search/lexical.py does it. */
import { admitsLanguage, factsOf } from "./filters.js";
import { termKey } from "./query-plan.js";
import { ordinalOf, rankDocuments, scoreUnits, sortedHits, unitOf } from "./ranking.js";
import { mayBeMisspelt, nearest } from "./spelling.js";

const CANDIDATES = 200; // documents looked at at most, for a filter that only their rows can answer

/**
 * What was asked for: filters, how many documents, and `unfinished`, the word that is still being typed, if any.
 * @typedef {{filters: import("./filters.js").Filters, limit: number, unfinished?: string}} Wanted
 *
 * weights: the idf of each term looked up, by its key. scores: of the documents returned, of every unit that has a term.
 * @typedef {{documents: object[], matched: number, terms: object[], weights: Map<string, number>,
 *   scores: {ordinal: number, unit: number, score: number}[], corrections: {typed: string, used: string}[]}} Ranking
 */

/** @param {import("./search-base.js").SearchBase} base  @param {Wanted} wanted  @returns {Promise<Ranking>} */
export async function rankFor(base, terms, wanted, signal) {
  const plan = await base.plan(terms);
  const [allowed, exact] = await Promise.all([
    allowedOrdinals(base, wanted.filters),
    findAll(base, plan),
  ]);
  let found = await completed(base, exact, wanted.unfinished);
  let corrections = [];
  if (!found.some(({ postings }) => postings.length > 0)) {
    corrections = await correctionsOf(base, plan);
    found = await findAll(base, corrected(plan, corrections));
  }
  signal?.throwIfAborted();
  let ranking = await ranked(base, found, allowed, wanted);
  const few = ranking.documents.length < wanted.limit;
  if (few && found.some(({ rest, weak }) => rest.length > 0 || weak.length > 0)) {
    // The best postings of a common term may all be filtered out, or be too many to be kept.
    found = await Promise.all(found.map((each) => base.whole(each)));
    ranking = await ranked(base, found, allowed, wanted);
  }
  return { ...ranking, corrections };
}

function findAll(base, plan) {
  return Promise.all(plan.map((term) => base.find(term)));
}

/* A word that nobody wrote and that is still being typed may be the beginning of one. */
function completed(base, found, unfinished) {
  return Promise.all(
    found.map((each) => {
      const begins = each.term.term === unfinished && !each.term.prefix && each.postings.length === 0;
      return begins ? base.find({ term: unfinished, prefix: true }) : each;
    }),
  );
}

/* The documents that pass the filters which the index itself answers; undefined for all. */
async function allowedOrdinals(base, filters) {
  const facts = factsOf(filters);
  if (facts.length === 0) return undefined;
  const [first, ...others] = await Promise.all(facts.map((fact) => base.ordinals(fact)));
  return new Set([...first].filter((ordinal) => others.every((other) => other.has(ordinal))));
}

async function correctionsOf(base, plan) {
  const doubtful = plan.filter(mayBeMisspelt);
  const used = await Promise.all(
    doubtful.map(async ({ term }) => nearest(term, await base.neighbours(term))),
  );
  return doubtful
    .map(({ term }, place) => ({ typed: term, used: used[place] }))
    .filter((correction) => correction.used !== undefined);
}

function corrected(plan, corrections) {
  const used = new Map(corrections.map((correction) => [correction.typed, correction.used]));
  const terms = plan.map(({ term, prefix }) => ({ term: used.get(term) ?? term, prefix }));
  return [...new Map(terms.map((term) => [termKey(term), term])).values()];
}

async function ranked(base, found, allowed, wanted) {
  const weights = new Map(found.map((each) => [termKey(each.term), base.idf(each)]));
  const matches = found.map(({ term, postings }) => ({
    idf: weights.get(termKey(term)),
    postings: allowed ? postings.filter((posting) => allowed.has(ordinalOf(posting))) : postings,
  }));
  const scores = scoreUnits(matches);
  const all = rankDocuments(scores);
  const candidates = wanted.filters.language ? CANDIDATES : 2 * wanted.limit;
  const documents = await resolved(base, leading(base, all, candidates), wanted);
  const ordinals = new Set(documents.map(({ ordinal }) => ordinal));
  const units = [...scores]
    .map(([key, score]) => ({ ...unitOf(key), score }))
    .filter(({ ordinal }) => ordinals.has(ordinal));
  return { documents, matched: all.length, terms: found.map(({ term }) => term), weights, scores: units };
}

/* Of documents in their order, as many of each part of the base. */
function leading(base, units, count) {
  const taken = new Map();
  return units.filter(({ ordinal }) => {
    const part = base.partOf(ordinal);
    const before = taken.get(part) ?? 0;
    taken.set(part, before + 1);
    return before < count;
  });
}

/* Names the best documents, leaving out those that were dropped or do not pass. */
async function resolved(base, units, { filters, limit }) {
  const named = [];
  let place = 0;
  while (named.length < limit && place < units.length) {
    const batch = units.slice(place, place + limit - named.length);
    place += batch.length;
    named.push(...(await namedOf(base, batch, filters)));
  }
  let others = units.slice(place);
  while (named.length >= limit) {
    const ties = tiesOf(base, named, others, limit);
    if (ties.length === 0) break;
    others = others.filter((unit) => !ties.includes(unit));
    named.push(...(await namedOf(base, ties, filters)));
  }
  return sortedHits(named).slice(0, limit);
}

/* Of the documents that score as much as the last, those that may come before it. Which of equals comes first, their
   ids decide; each part has its documents in that order, so that of each as many are looked at as there are places. */
function tiesOf(base, named, others, limit) {
  const last = Math.min(...named.map(({ score }) => score));
  const places = limit - named.filter(({ score }) => score > last).length;
  const known = new Map();
  const count = (part) => known.set(part, (known.get(part) ?? 0) + 1);
  for (const { ordinal, score } of named) if (score === last) count(base.partOf(ordinal));
  return others.filter(({ ordinal, score }) => {
    const part = base.partOf(ordinal);
    if (score !== last || (known.get(part) ?? 0) >= places) return false;
    count(part);
    return true;
  });
}

async function namedOf(base, units, filters) {
  const documents = await Promise.all(units.map(({ ordinal }) => base.document(ordinal)));
  return units
    .map((unit, place) => ({ ...documents[place], ...unit }))
    .filter((hit) => hit.id !== undefined && admitsLanguage(filters, hit.language));
}
