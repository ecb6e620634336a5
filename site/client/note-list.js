/* A list of notes with a line of their words, as it stands under a note. */
import { pageAddress } from "./knowledge/addresses.js";

/**
 * @param {string} title of the list  @param {string} id of its heading  @param {string} [count] in words
 * @returns {{section: HTMLElement, list: HTMLUListElement}}
 */
export function noteSection(title, id, count = "") {
  const section = element("section");
  section.setAttribute("aria-labelledby", id);
  const head = element("div", "h-row");
  const heading = element("h2", "", title);
  heading.id = id;
  head.append(heading);
  if (count) head.append(element("span", "cap", count));
  const list = element("ul", "refs");
  section.append(head, list);
  return { section, list };
}

/**
 * @param {{url: string, title: string, language: string, anchor?: string}} note
 * @param {(string | HTMLElement)[]} words
 * @returns {HTMLLIElement | null} null for an address that would lead out of the site
 */
export function noteItem(root, { url, title, language, anchor = "" }, words) {
  const address = pageAddress(root, url);
  if (!address) return null;
  const item = element("li");
  item.lang = language;
  item.dir = "auto";
  const link = element("a", "", title);
  link.href = anchor ? `${address}#${encodeURIComponent(anchor)}` : address;
  item.append(link);
  if (words.some((piece) => piece !== "")) {
    const line = element("p");
    line.append(...words);
    item.append(line);
  }
  return item;
}

export function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}
