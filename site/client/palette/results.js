/* The list of results as elements: a group for each note, an option for each section. */
import { pageAddress } from "../knowledge/addresses.js";
import { appendMarked, appendRanges } from "./highlights.js";

/* What a note's address says of where it lies; a folder that only names the language says nothing new. */
function placeOf({ url, language }) {
  const folders = url.replace(/\/+$/, "").split("/").slice(0, -1);
  const named = folders.length > 0 && `${language}-`.toLowerCase().startsWith(`${folders[0]}-`.toLowerCase());
  return folders.slice(named ? 1 : 0).join(" › ");
}

/** The address of a section. @returns {string} empty for what would lead out of the site */
export function sectionAddress(root, url, anchor) {
  const page = pageAddress(root, url);
  if (!page) return "";
  return anchor === "" ? page : `${page}#${encodeURIComponent(anchor)}`;
}

/**
 * @param {import("./sections.js").Note} note
 * @param {{root: URL, prefix: string, highlights: import("./highlights.js").Highlights}} given prefix: of ids
 */
export function noteGroup(note, { root, prefix, highlights }) {
  const group = groupOf(note, placeOf(note), prefix, highlights);
  note.sections.forEach((section, number) => {
    const address = sectionAddress(root, note.url, section.anchor);
    if (address) group.append(sectionOption(section, { address, id: `${prefix}-${number}`, note, highlights }));
  });
  return group;
}

/** A note whose text is not there yet: its place is kept. */
export function waitingGroup({ title, language }, { prefix, highlights }) {
  const group = groupOf({ title, language }, "", prefix, highlights);
  const option = optionOf("div", `${prefix}-0`);
  option.setAttribute("aria-label", title);
  option.append(...Array.from({ length: 2 }, () => document.createElement("i")));
  option.classList.add("skeleton");
  group.append(option);
  return group;
}

/** Results opened before. @param {import("./recent.js").Opened[]} opened */
export function recentGroup(opened, { root, prefix, label }) {
  const group = document.createElement("div");
  group.setAttribute("role", "group");
  const caption = element("div", "doc cap", label);
  caption.id = `${prefix}-name`;
  group.setAttribute("aria-labelledby", caption.id);
  group.append(caption);
  opened.forEach(({ title, section, url, anchor, language }, number) => {
    const address = sectionAddress(root, url, anchor);
    if (!address) return;
    const option = optionOf("a", `${prefix}-${number}`);
    option.href = address;
    option.lang = language;
    option.dir = "auto";
    option.append(element("b", "", title));
    if (section) option.append(element("span", "", section));
    group.append(option);
  });
  return group;
}

function groupOf({ title, language }, place, prefix, highlights) {
  const group = document.createElement("div");
  group.setAttribute("role", "group");
  group.lang = language;
  group.dir = "auto"; // that of the note's title
  const head = element("div", "doc");
  head.id = `${prefix}-name`;
  const name = document.createElement("b");
  appendMarked(name, title, highlights);
  head.append(name, element("span", "", place));
  group.setAttribute("aria-labelledby", head.id);
  group.append(head);
  return group;
}

function sectionOption({ title, excerpt }, { address, id, note, highlights }) {
  const option = optionOf("a", id);
  option.href = address;
  if (title) {
    const name = document.createElement("b");
    appendMarked(name, title, highlights);
    option.append(name);
  }
  if (excerpt.text) {
    const text = document.createElement("p");
    appendRanges(text, excerpt.text, excerpt.ranges);
    option.append(text);
  }
  if (!option.hasChildNodes()) option.append(element("b", "", note.title));
  return option;
}

function optionOf(name, id) {
  const option = element(name, "hit");
  option.id = id;
  option.tabIndex = -1;
  option.setAttribute("role", "option");
  option.setAttribute("aria-selected", "false");
  return option;
}

function element(name, className, text = "") {
  const found = document.createElement(name);
  if (className) found.className = className;
  found.textContent = text;
  return found;
}
