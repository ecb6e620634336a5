/* From hits to what the palette shows: notes, and of each the sections that match. */
import { CodePoints } from "../search/code-points.js";
import { readDoc } from "../search/search-base.js";
import { sectionUnits } from "../search/units.js";
import { excerptOf } from "./excerpt.js";
import { blocksOf } from "./markdown-blocks.js";

const SECTIONS = 3; // of one note at most
const WORTH_SHOWING = 2; // a section is left out if it scores less than one half of the note's best

/**
 * A section of a note. anchor: empty for what stands before the first heading.
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
  const sections = chosen(hit.units, sectionUnits(points, doc.sections)).map((number) => {
    const { title, anchor, start, end } = doc.sections[number];
    const blocks = blocksOf(points.slice(start, end));
    const own = blocks[0]?.kind === "heading" && title !== "" ? blocks.slice(1) : blocks;
    return {
      title: title === doc.title ? "" : title,
      anchor: anchor === "_top" ? "" : anchor,
      excerpt: excerptOf(own, highlights, worth),
      blocks: own,
    };
  });
  return { id: hit.id, title: doc.title, language: doc.language, url: doc.url, sections };
}

/** What is known of a hit whose text was not read: found by its title, or not read yet. @returns {Note | undefined} */
export function noteByTitle({ id, title, language, row, section }) {
  if (!row) return undefined;
  const found = section && section.title !== title ? section : { title: "", anchor: section?.anchor ?? "" };
  const shown = { title: found.title, anchor: found.anchor === "_top" ? "" : found.anchor };
  return { id, title, language, url: row.url, sections: [{ ...shown, excerpt: { text: "", ranges: [] }, blocks: [] }] };
}

/* The sections of the best units, best first; a note is never without one. */
function chosen(scored, units) {
  const [best] = scored;
  const good = scored.filter(({ unit, score }) => units[unit] && score * WORTH_SHOWING >= best.score);
  const sections = [...new Set(good.map(({ unit }) => units[unit].section))];
  return sections.length > 0 ? sections.slice(0, SECTIONS) : [0];
}
