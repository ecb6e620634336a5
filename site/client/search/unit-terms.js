/* Units and their terms: how a document enters the search base, as manifest/unit_terms.py does it. */
import { CodePoints, firstCodePoints } from "./code-points.js";
import { documentTags, metaList, searchText } from "./search-text.js";
import { tokens } from "./tokens.js";
import { sectionUnits } from "./units.js";

/** In halves of an occurrence; what holds where no segment states its own. */
export const WEIGHTS = { title: 2, heading: 2, path: 1, tags: 1, aliases: 2, body: 2 };

const WEIGHT_UNIT = 2;
const MAX_IMPACT = 15;
const NAMES_LIMIT = 100;
const SHORT_LIMIT = 1000;
const LEVEL_LIMIT = 16;

/** @returns {{length: number, frequencies: Map<string, number>}[]} of each unit its body tokens and weighted terms */
export function unitTerms(doc, weights) {
  const points = new CodePoints(doc.text);
  const shared = new Map();
  add(shared, shortTokens(doc.title), weights.title);
  for (const tag of tagsOf(doc).slice(0, NAMES_LIMIT)) add(shared, shortTokens(tag), weights.tags);
  for (const alias of metaList(doc.meta?.aliases).slice(0, NAMES_LIMIT)) {
    add(shared, shortTokens(alias), weights.aliases);
  }
  return sectionUnits(points, doc.sections).map(({ section, start, end }) => {
    const found = tokens(searchText(points.slice(start, end)));
    const frequencies = new Map(shared);
    const { title, path } = doc.sections[section];
    add(frequencies, found, weights.body);
    add(frequencies, shortTokens(title), weights.heading);
    for (const ancestor of path.slice(0, -1)) add(frequencies, shortTokens(ancestor), weights.path);
    return { length: found.length, frequencies };
  });
}

/** Terms that stand for facts of the document, at its unit 0: `tag:`, `folder:`, `link:`. */
export function documentTerms(doc) {
  const tags = tagsOf(doc).flatMap((tag) => levels(tag.toLowerCase()).map((level) => `tag:${level}`));
  const folders = levels(doc.url.replace(/\/+$/, "")).map((level) => `folder:${level}`);
  const links = (doc.links ?? [])
    .filter(({ kind, to }) => (kind === "doc" || kind === "embed") && to !== doc.id)
    .map(({ to }) => `link:${to}`);
  return [...new Set([...tags, ...folders, ...links])];
}

/** The impact (1 to 15) of a weighted frequency (in halves) in a unit of `length` tokens. */
export function impact(frequency, length, pivot) {
  const saturated = 2 * pivot * frequency;
  return Math.min(MAX_IMPACT, 1 + Math.floor((15 * saturated) / (saturated + WEIGHT_UNIT * (pivot + length))));
}

function tagsOf(doc) {
  return documentTags(metaList(doc.meta?.tags), doc.text);
}

function levels(path) {
  const parts = path === "" ? [] : path.split("/").slice(0, LEVEL_LIMIT);
  return parts.map((_, place) => parts.slice(0, place + 1).join("/"));
}

function add(frequencies, found, weight) {
  for (const token of found) frequencies.set(token, (frequencies.get(token) ?? 0) + weight);
}

function shortTokens(text) {
  return tokens(searchText(firstCodePoints(text, SHORT_LIMIT)));
}
