/* A link to a note whose address its row does not say. Until someone means it, the link leads to the graph with that
   note chosen; then the note's own page is looked up in its document. */
import { pageAddress } from "../knowledge/addresses.js";
import { thisSite } from "../knowledge/this-site.js";
import { element } from "../note-list.js";
import { readDoc } from "../search/search-base.js";

/**
 * @param {import("../graph/document-rows.js").DocumentRow} row
 * @param {string} graph the address of the page of the graph
 */
export function noteLink(row, graph) {
  const link = element("a", "", row.title);
  link.lang = row.language;
  link.dir = "auto";
  link.href = `${graph}?note=${encodeURIComponent(row.id)}`;
  let looking;
  const look = () => (looking ??= lookUp(row, link).catch(() => (looking = undefined)));
  for (const type of ["pointerenter", "focus", "touchstart"]) link.addEventListener(type, look, { passive: true });
  link.addEventListener("click", async (event) => {
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!isPlain || link.dataset.found !== undefined) return;
    event.preventDefault();
    await look();
    location.assign(link.href);
  });
  return link;
}

async function lookUp(row, link) {
  const { url } = await readDoc(thisSite, row.id, row.doc);
  const address = pageAddress(thisSite.root, url);
  if (!address) return;
  link.href = address;
  link.dataset.found = "";
}
