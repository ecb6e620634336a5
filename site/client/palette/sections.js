/* From hits to what the palette shows: notes, and of each the sections that match. */
import { CodePoints } from "../search/code-points.js";
import { readDoc } from "../search/search-base.js";
import { sectionUnits } from "../search/units.js";
import { excerptOf } from "./excerpt.js";
import { blocksOf } from "./markdown-blocks.js";

const SECTIONS = 3; // of one note at most
const LOOKED_AT = 6; // to find those that hold a word themselves, not in the title of the note alone
const WORTH_SHOWING = 2; // a section is left out if it scores less than one half of the note's best

/**
 * A section of a note. anchor: empty for the first, where the page begins.
 * @typedef {{title: string, anchor: string, excerpt: {text: string, ranges: object[]}, blocks: object[]}} Section
 *
 * A note with its sections; url: as published.
 * @typedef {{id: string, title: string, language: string, url: string, sections: Section[]}} Note
 */

/**
 * Reads the text of a hit.
 * @param {import("../search/search.js").Hit} hit
 * @returns {Promise<Note>}
 * @throws {KnowledgeError | TypeError | DOMException} if it cannot be read
 */
export async function readNote(site, hit, { highlights, worth }, signal) {
  const doc = await readDoc(site, hit.id, hit.doc, signal);
  const points = new CodePoints(doc.text);
  const looked = chosen(hit, doc.sections, points).map((number) => {
    const { title, anchor, start, end } = doc.sections[number];
    const blocks = blocksOf(points.slice(start, end));
    const own = blocks[0]?.kind === "heading" && title !== "" ? blocks.slice(1) : blocks;
    return {
      title: title === doc.title ? "" : title,
      anchor: number === 0 ? "" : anchor,
      excerpt: excerptOf(own, highlights, worth),
      blocks: own,
    };
  });
  const marked = looked.filter(({ title, excerpt }) => excerpt.ranges.length > 0 || highlights.in(title).length > 0);
  const sections = marked.length > 0 ? marked.slice(0, SECTIONS) : looked.slice(0, 1);
  return { id: hit.id, title: doc.title, language: doc.language, url: doc.url, sections };
}

/** What is known of a hit whose text cannot be read, from its row in the tree. @returns {Note | undefined} */
export function noteByTitle({ id, title, language, row, section }) {
  if (!row) return undefined;
  const found = section && section.title !== title ? section : { title: "", anchor: section?.anchor ?? "" };
  const shown = { title: found.title, anchor: found.anchor === "_top" ? "" : found.anchor };
  return { id, title, language, url: row.url, sections: [{ ...shown, excerpt: { text: "", ranges: [] }, blocks: [] }] };
}

/* The sections of the best units, best first, by their numbers; the one whose heading matched, where only titles were
   compared. A note is never without one. */
function chosen({ units: scored, section }, sections, points) {
  if (section) return [Math.max(0, sections.findIndex(({ anchor }) => anchor === section.anchor))];
  const units = sectionUnits(points, sections);
  const good = scored.filter(({ unit, score }) => units[unit] && score * WORTH_SHOWING >= scored[0].score);
  const found = [...new Set(good.map(({ unit }) => units[unit].section))];
  return found.length > 0 ? found.slice(0, LOOKED_AT) : [0];
}
