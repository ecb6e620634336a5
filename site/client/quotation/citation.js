/* A quotation with all that is needed to find and to check it later. No DOM, no network. */

/**
 * @param {object} quoted
 * @param {string} quoted.text  @param {string[]} quoted.titles of the note and the section  @param {string} quoted.site
 * @param {string} quoted.address  @param {string} quoted.revision  @param {string} quoted.document hashes, or empty
 * @param {{quotation: string, revision: string, document: string}} words with {text} and {hash} in them
 * @returns {string} lines of plain text; what is not known is left out
 */
export function citation({ text, titles, site, address, revision, document }, words) {
  const filled = (form, name, value) => form.replace(`{${name}}`, () => value);
  const lines = [filled(words.quotation, "text", text), [...titles, site].filter(Boolean).join(" · "), address];
  if (revision) lines.push(filled(words.revision, "hash", revision));
  if (document) lines.push(filled(words.document, "hash", document));
  return lines.join("\n");
}

/** Words as they are quoted: in one line. */
export function quotedText(selected) {
  return selected.replace(/\s+/gu, " ").trim();
}
