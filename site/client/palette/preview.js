/* A section as it reads, beside the list: plain paragraphs, lists, code and rows of tables, with the words marked. */
import { appendMarked } from "./highlights.js";

const BLOCKS = 60;

/**
 * @param {HTMLElement} pane
 * @param {{title: string, language: string}} note
 * @param {import("./sections.js").Section} section
 */
export function showPreview(pane, note, section, highlights) {
  const heading = document.createElement("h3");
  appendMarked(heading, section.title || note.title, highlights);
  const text = document.createElement("div");
  text.className = "text";
  text.append(...elementsOf(section.blocks.slice(0, BLOCKS), highlights));
  const shown = document.createElement("div");
  shown.dir = "auto"; // that of the note's title
  shown.lang = note.language;
  if (section.title) shown.append(caption(note.title));
  shown.append(heading, text);
  pane.replaceChildren(shown);
  pane.scrollTop = 0;
  const mark = text.querySelector("mark");
  if (mark && mark.offsetTop > pane.clientHeight / 2) pane.scrollTop = mark.offsetTop - pane.clientHeight / 3;
}

function caption(title) {
  const found = document.createElement("p");
  found.className = "cap";
  found.textContent = title;
  return found;
}

/* Items and rows that follow each other stand in one list, one table. */
function elementsOf(blocks, highlights) {
  const elements = [];
  let holder;
  for (const block of blocks) {
    const kind = block.kind === "item" ? (block.number ? "ol" : "ul") : block.kind === "row" ? "table" : "";
    if (kind && holder?.localName !== kind) {
      holder = document.createElement(kind);
      if (kind === "ol") holder.start = Number(block.number);
      elements.push(holder);
    }
    if (kind) holder.append(filled(block, highlights));
    else elements.push(filled(block, highlights));
    if (!kind) holder = undefined;
  }
  return elements;
}

const NAMES = { text: "p", quote: "blockquote", heading: "h4", code: "pre", item: "li", row: "tr" };

function filled(block, highlights) {
  const found = document.createElement(NAMES[block.kind]);
  if (block.depth) found.style.setProperty("--depth", block.depth);
  if (block.cells) {
    for (const cell of block.cells) found.append(withRuns(document.createElement("td"), cell, highlights));
    return found;
  }
  return withRuns(found, block.runs, highlights);
}

function withRuns(found, runs, highlights) {
  for (const { text, strong, code } of runs) {
    const holder = strong || code ? document.createElement(code ? "code" : "b") : found;
    appendMarked(holder, text, highlights);
    if (holder !== found) found.append(holder);
  }
  return found;
}
