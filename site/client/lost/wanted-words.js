/* The words of an address: those of its last part, which is most often a note's name. */

/** @param {string} pathname as the browser has it, percent-encoded */
export function wantedWords(pathname) {
  const parts = pathname.split("/").map(decoded).filter((part) => part !== "" && !/^index\.html?$/i.test(part));
  return (parts.at(-1) ?? "")
    .replace(/\.(?:html?|md|markdown)$/i, "")
    .replace(/[-_+./]+/g, " ")
    .trim();
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // not UTF-8: as it stands
  }
}
