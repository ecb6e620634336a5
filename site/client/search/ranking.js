/* Ranking as in manifest/ranking.py: integers, and + - x / on doubles, so that every reader gives one order.
   A posting is `ordinal * 2^24 + unit * 16 + impact`, the key of a unit `ordinal * 2^20 + unit`. */
import { sha256 } from "../knowledge/sha256.js";

const IDF_SCALE = 1024;
const LN2 = 0.6931471805599453;
const IMPACTS = 16;
const UNITS = 2 ** 20;
const NUMBERS = UNITS * IMPACTS;

/** ln of a number of at least 1: halvings, then the series of artanh. */
function naturalLog(value) {
  let halvings = 0;
  while (value >= 2) {
    value /= 2;
    halvings += 1;
  }
  const y = (value - 1) / (value + 1);
  const square = y * y;
  let total = 0;
  let power = y;
  for (let odd = 1; odd < 40; odd += 2) {
    total += power / odd;
    power *= square;
  }
  return halvings * LN2 + 2 * total;
}

/** How much an occurrence tells of a term that is in n of N units, in 1024ths. */
export function idf(units, occurrences) {
  const all = Math.max(units, occurrences);
  const ratio = (all - occurrences + 0.5) / (occurrences + 0.5);
  return Math.floor(IDF_SCALE * naturalLog(1 + ratio) + 0.5);
}

/** @throws {RangeError} for numbers that make no posting */
export function pack(ordinal, number) {
  const sound = ordinal >= 0 && Number.isSafeInteger(number) && number > 0 && number < NUMBERS && number % IMPACTS > 0;
  if (!sound) throw new RangeError("a posting without document or impact");
  return ordinal * NUMBERS + number;
}

export function ordinalOf(posting) {
  return Math.floor(posting / NUMBERS);
}

export function unitOf(key) {
  return { ordinal: Math.floor(key / UNITS), unit: key % UNITS };
}

/**
 * The postings of a shard's row: ordinals below `end`, moved by `offset`, without `dropped`.
 * @param {number[]} numbers negative: advances the ordinal, from -1; other: `unit * 16 + impact`
 * @throws {RangeError} where the numbers make no sense
 */
export function readPostings(numbers, { end, offset, dropped }) {
  const found = [];
  let ordinal = -1;
  for (const number of numbers) {
    if (number < 0) {
      ordinal -= number;
      if (!(ordinal < end)) throw new RangeError(`an ordinal of ${ordinal} where there are ${end}`);
      continue;
    }
    const posting = pack(ordinal, number);
    if (!dropped?.has(ordinal)) found.push(posting + offset * NUMBERS);
  }
  return found;
}

/** The postings of several lists as one: each unit once, with its best impact. */
export function bestImpacts(lists) {
  const best = new Map();
  for (const posting of lists.flat()) {
    const key = Math.floor(posting / IMPACTS);
    if (posting > (best.get(key) ?? 0)) best.set(key, posting);
  }
  return [...best.values()];
}

/**
 * The score of every unit that has a term: the sum over its terms of idf x impact.
 * @param {{idf: number, postings: number[]}[]} matches
 * @returns {Map<number, number>} by the key of the unit
 */
export function scoreUnits(matches) {
  const scores = new Map();
  for (const { idf: weight, postings } of matches) {
    for (const posting of postings) {
      const key = Math.floor(posting / IMPACTS);
      scores.set(key, (scores.get(key) ?? 0) + weight * (posting % IMPACTS));
    }
  }
  return scores;
}

/**
 * Documents by their best units: falling score, then ordinal; among equal units of a document the first.
 * @returns {{ordinal: number, unit: number, score: number}[]}
 */
export function rankDocuments(scores) {
  const best = new Map();
  for (const [key, score] of scores) {
    const { ordinal, unit } = unitOf(key);
    const known = best.get(ordinal);
    if (!known || score > known.score || (score === known.score && unit < known.unit)) {
      best.set(ordinal, { ordinal, unit, score });
    }
  }
  return [...best.values()].sort((one, other) => other.score - one.score || one.ordinal - other.ordinal);
}

/** Sorts hits with `score`, `id` and `unit` by falling score, then sha256(id), then unit. */
export function sortedHits(hits) {
  const bytes = new TextEncoder();
  const keyed = hits.map((hit) => ({ hit, key: sha256(bytes.encode(hit.id)) }));
  const order = (one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)) || one.hit.unit - other.hit.unit;
  keyed.sort((one, other) => other.hit.score - one.hit.score || order(one, other));
  return keyed.map(({ hit }) => hit);
}
