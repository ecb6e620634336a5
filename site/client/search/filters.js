/* What hits must fulfil, beside having words of the question. Empty fields ask for nothing. */

/** @typedef {{language?: string, folder?: string, tag?: string}} Filters language: `zh` stands for `zh-CN` too */

/** The facts of the index that a filter asks for. */
export function factsOf({ folder, tag }) {
  return [...(folder ? [`folder:${folder}`] : []), ...(tag ? [`tag:${tag}`] : [])];
}

/** Whether a document in that language passes. */
export function admitsLanguage({ language = "" }, found) {
  return language === "" || `${found.toLowerCase()}-`.startsWith(`${language.toLowerCase()}-`);
}

/** Whether a row of the document tree passes. */
export function admitsRow(filters, { url, tags = [], language }) {
  const { folder, tag } = filters;
  return (
    admitsLanguage(filters, language) &&
    (!folder || `${url.replace(/\/+$/, "")}/`.startsWith(`${folder}/`)) &&
    (!tag || tags.some((each) => `${each.toLowerCase()}/`.startsWith(`${tag}/`)))
  );
}
