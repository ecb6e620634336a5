/* White space as the contract means it: Python's, which differs from JavaScript's by a few controls and U+FEFF. */

/** Members of a regular expression's character class. */
export const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

const ENDS = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, "gu");

/** The text without white space at its ends. */
export function stripped(text) {
  return text.replace(ENDS, "");
}
