/* What a preview shows of a page of this site: its title, where it stands, its first sentences. A preview makes
   no claim that a click would not make: it is cut from the very page that the link leads to, which the browser
   then has already. It is taken as text alone. */
import { firstSentences } from "../sentences.js";

const LONGEST = 260;
const UNREAD = ".sec, .cap, [role=doc-noteref], annotation, annotation-xml, script, style, svg, .hash, .btn";
const HEADINGS = "h1, h2, h3, h4, h5, h6";

/**
 * @typedef {object} PagePreview
 * @property {string} title of the note; with the section's, where the link names one
 * @property {string[]} path titles on the way to it, outermost first
 * @property {string} text
 * @property {string} language
 * @property {string} direction
 */

/**
 * @param {Document} page an inert document
 * @param {string} anchor the section that the link names, or empty
 * @returns {PagePreview | null} null for a page that is no note
 */
export function pagePreview(page, anchor) {
  const heading = page.querySelector("article.note h1");
  const article = page.querySelector("article.note .prose");
  if (!heading || !article) return null;
  const language = page.documentElement.lang || "und";
  const section = anchor ? sectionHeading(article, anchor) : null;
  const text = textFrom(section ? behind(section) : opening(article));
  const titles = section ? [heading, section] : [heading];
  return {
    title: titles.map(words).join(" › "),
    path: [...page.querySelectorAll(".crumbs li")].slice(1).map(words),
    text: firstSentences(text, language, LONGEST),
    language,
    direction: page.documentElement.dir || "ltr",
  };
}

/** What a footnote says, from its own page. */
export function footnotePreview(note, language, direction) {
  const copy = note.cloneNode(true);
  for (const back of copy.querySelectorAll("[role=doc-backlink]")) back.remove();
  return { title: "", path: [], text: words(copy), language, direction };
}

function sectionHeading(article, anchor) {
  const found = article.ownerDocument.getElementById(anchor);
  return found?.matches(HEADINGS) && article.contains(found) ? found : null;
}

/* What stands before the first heading; all of it where that is nothing. */
function opening(article) {
  const blocks = [...article.children];
  const end = blocks.findIndex((block) => block.matches(HEADINGS));
  const before = blocks.slice(0, Math.max(end, 0));
  return textFrom(before) === "" ? blocks : before;
}

/* What follows a heading, up to the next one of its level or above. */
function behind(heading) {
  const found = [];
  let next = heading.nextElementSibling;
  while (next && !(next.matches(HEADINGS) && next.localName <= heading.localName)) {
    found.push(next);
    next = next.nextElementSibling;
  }
  return found;
}

/* Running text where there is some: the first paragraphs, else a list or a quotation. */
function textFrom(blocks) {
  const paragraphs = blocks.filter((block) => block.localName === "p" && words(block) !== "");
  const rest = blocks.filter((block) => block.matches("ul, ol, dl, blockquote, aside, details") && words(block) !== "");
  const chosen = paragraphs.length > 0 ? paragraphs.slice(0, 3) : rest.slice(0, 1);
  return chosen.map(words).join(" ");
}

function words(element) {
  const copy = element.cloneNode(true);
  for (const unread of copy.querySelectorAll(UNREAD)) unread.remove();
  return copy.textContent.replace(/\s+/gu, " ").trim();
}
