/* The sentence in which a document links to another, cut from its published Markdown. No DOM, no network. */
import { plainText } from "../plain-text.js";
import { CodePoints } from "../search/code-points.js";
import { sentenceAround } from "../sentences.js";

const LONGEST = 220;
const NEAR = 1500; // characters of Markdown looked at on each side of the link

/* Private characters stand around the link while its surroundings lose their markup. */
const OPEN = "\ue000";
const CLOSE = "\ue001";

const LABELS = /\[\[([^[\]\n]+)\]\]|\[([^[\]\n]+)\](?:\([^()\n]*\)|\[[^[\]\n]*\])?/gu;
const BLOCK = /^[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\||:[ \t]|!!!|\?\?\?|\[!)/u;

/**
 * @typedef {object} LinkingSentence
 * @property {string} before
 * @property {string} words those that are the link
 * @property {string} behind
 * @property {string} anchor of the section that holds it; empty for the top of the page
 */

/**
 * @param {{text: string, language: string, sections: object[], links: object[]}} doc
 * @param {string} docId the document linked to
 * @returns {LinkingSentence | null} null if it does not link there
 */
export function linkingSentence(doc, docId) {
  const link = doc.links.find(({ kind, to }) => to === docId && (kind === "doc" || kind === "embed"));
  if (!link) return null;
  const section = doc.sections[link.section];
  const anchor = section && section.level > 1 ? section.anchor : "";
  const words = link.text ?? "";
  const markdown = section ? new CodePoints(doc.text).slice(section.start, section.end) : doc.text;
  const place = placeOf(markdown, words, numberAmongAlike(doc.links, link));
  if (!place) return { before: "", words: plainText(words), behind: "", anchor };
  const [before, linked, behind] = around(markdown, place, words, doc.language);
  return { before, words: linked, behind, anchor };
}

/* Which of the links of its section that say the same it is. */
function numberAmongAlike(links, link) {
  const alike = links.filter(({ section, text }) => section === link.section && text === link.text);
  return alike.indexOf(link);
}

/* Where the link stands in the Markdown: the label that says its words; of several, the one of that number. */
function placeOf(markdown, words, number) {
  const said = plainText(words);
  const places = [];
  for (const { 0: all, 1: wiki, 2: label, index } of markdown.matchAll(LABELS)) {
    const shown = wiki === undefined ? label : wiki.slice(wiki.lastIndexOf("|") + 1);
    if (plainText(shown) === said || wiki === words) places.push({ start: index, end: index + all.length });
  }
  return places[number] ?? places[0];
}

function around(markdown, { start, end }, words, language) {
  const first = blockStart(markdown, start);
  const last = blockEnd(markdown, end);
  const head = markdown.slice(Math.max(first, start - NEAR), start);
  const tail = markdown.slice(end, Math.min(last, end + NEAR));
  const text = plainText(head + OPEN + plainText(words) + CLOSE + tail);
  const open = text.indexOf(OPEN);
  const close = text.indexOf(CLOSE);
  const bare = text.replace(OPEN, "").replace(CLOSE, "");
  return sentenceAround(bare, open, close - OPEN.length, language, LONGEST);
}

function blockStart(markdown, from) {
  let start = markdown.lastIndexOf("\n", from - 1) + 1;
  while (start > 0 && !BLOCK.test(markdown.slice(start, start + 80))) {
    const previous = markdown.lastIndexOf("\n", start - 2) + 1;
    if (markdown.slice(previous, start).trim() === "") break;
    start = previous;
  }
  return start;
}

function blockEnd(markdown, from) {
  let end = lineEnd(markdown, from);
  while (end < markdown.length) {
    const next = lineEnd(markdown, end + 1);
    const line = markdown.slice(end + 1, next);
    if (line.trim() === "" || BLOCK.test(line)) break;
    end = next;
  }
  return end;
}

function lineEnd(markdown, from) {
  const end = markdown.indexOf("\n", from);
  return end < 0 ? markdown.length : end;
}
