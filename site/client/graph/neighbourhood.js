/* The notes around one note, from a few rows of the index: who links here, where it links to, and how those are
   linked among themselves. */
import { DocumentRows } from "./document-rows.js";
import { linkedIds } from "./network.js";

const LOOKED_AT = 32; // documents of a folder among which the note is found
const EACH_WAY = 14; // neighbours that link, and that are linked

/**
 * @typedef {object} Neighbourhood the note itself is number 0
 * @property {{id: string, title: string, doc: {sha256: string, size: number}}[]} notes
 * @property {Int32Array} links pairs of numbers
 */

/**
 * @param {import("../knowledge/published-site.js").PublishedSite} site
 * @param {import("../knowledge/indexed-notes.js").IndexedNotes} index
 * @param {{docId: string, url: string, title: string}} here
 * @returns {Promise<Neighbourhood>}
 */
export async function neighbourhood(site, index, { docId, url, title }, signal) {
  const rows = await rowsOf(site, signal);
  const [incoming, own] = await Promise.all([
    index.ordinals(`link:${docId}`),
    ownOrdinal(index, rows, docId, url, signal),
  ]);
  const newer = await Promise.all(index.newer.map(async (note) => ({ note, ids: linkedIds(await index.doc(note)) })));
  const here = newer.find(({ note }) => note.id === docId);
  await rows.load([...incoming.slice(0, EACH_WAY), ...(own === undefined ? [] : [own])], signal);
  const outgoing = own === undefined ? [] : rows.known(own).links;
  const around = [...incoming.slice(0, EACH_WAY), ...outgoing.slice(0, 2 * EACH_WAY)];
  await rows.load(around, signal);
  const found = new Found({ id: docId, title });
  for (const { note, ids } of newer) if (ids.includes(docId)) found.add(note, () => ids);
  for (const ordinal of new Set(around)) {
    const note = await index.note(ordinal);
    const isLink = !here || incoming.includes(ordinal) || here.ids.includes(note?.id);
    if (note && isLink && found.size <= 2 * EACH_WAY) found.add(note, () => idsOf(rows, ordinal));
  }
  const links = here?.ids ?? (own === undefined ? [] : idsOf(rows, own));
  return found.linked(links);
}

class Found {
  #notes;
  #linksOf = [() => []];

  constructor(here) {
    this.#notes = [here];
  }

  get size() {
    return this.#notes.length;
  }

  add(note, linksOf) {
    if (this.#notes.some(({ id }) => id === note.id)) return;
    this.#notes.push(note);
    this.#linksOf.push(linksOf);
  }

  linked(ownLinks) {
    this.#linksOf[0] = () => ownLinks;
    const numbers = new Map(this.#notes.map(({ id }, number) => [id, number]));
    const pairs = this.#linksOf.flatMap((linksOf, from) =>
      linksOf().flatMap((id) => (numbers.has(id) && numbers.get(id) !== from ? [from, numbers.get(id)] : [])),
    );
    return { notes: this.#notes, links: Int32Array.from(pairs) };
  }
}

async function rowsOf(site, signal) {
  const root = await site.rootObject(signal);
  const [delta, ...segments] = await Promise.all([
    site.object("delta", root.delta, signal),
    ...root.segments.map((reference) => site.object("segment", reference, signal)),
  ]);
  return new DocumentRows(site, segments, delta);
}

/* A document is found by its address: as a folder, that holds the document and those below it. */
async function ownOrdinal(index, rows, docId, url, signal) {
  const address = url.replace(/\/$/, "");
  if (address === "") return undefined;
  const some = (await index.ordinals(`folder:${address}`)).slice(0, LOOKED_AT);
  await rows.load(some, signal);
  return some.find((ordinal) => rows.known(ordinal)?.id === docId);
}

/* Only links to rows that were fetched can be named; the others are not in the picture anyway. */
function idsOf(rows, ordinal) {
  return rows.known(ordinal).links.map((other) => rows.known(other)?.id).filter(Boolean);
}
