/* What was typed: the words to search for, and filters among them: `tag:os`, `folder:guides/setup`. */

const FILTER = /(?<=^|\s)(tag|folder):(\S*)/gu;

/**
 * @returns {{question: string, filters: import("../search/filters.js").Filters}}
 */
export function readTyped(typed) {
  const filters = {};
  const question = typed.normalize("NFC").replace(FILTER, (_, name, value) => {
    const bare = value.replace(/^[#/]+|\/+$/g, "");
    if (bare !== "") filters[name] = name === "tag" ? bare.toLowerCase() : bare;
    return "";
  });
  return { question: question.trim() === "" ? "" : question.trimStart(), filters };
}
