/* What of a document is searched: its Markdown without markup, as in manifest/search_text.py. No expression may try
   a stretch twice, since the text may be hostile: see there. A line ends at \n alone, so `^` and `$` are not used. */
import { SPACE, stripped } from "./white-space.js";
import { WORD } from "./unicode14.js";

const LINE_START = "(?<![^\\n])";
const LINE_END = "(?![^\\n])";
const TEXT_END = "(?![^])";

const FENCED = new RegExp(
  `${LINE_START}[ \\t>]*(\`{3,}(?!\`)(?![^\\n]*\`)|~{3,}(?!~))[^\\n]*\\n[^]*?` +
    `(?:${LINE_START}[ \\t>]*\\1[\`~]*[ \\t]*${LINE_END}|${TEXT_END})`,
  "gu",
);
const BACKTICKS = /`+|\n/gu;
const HTML_COMMENT = /<!--[^]*?(?:-->|(?![^]))/gu;
const HTML_TAG = new RegExp(`</?[A-Za-z][A-Za-z0-9-]*(?:[${SPACE}][^<>]*)?/?>`, "gu");
const AUTOLINK = new RegExp(`<[A-Za-z][A-Za-z0-9+.-]*:[^<>${SPACE}]*>`, "gu");
const PLAIN = `[^()${SPACE}]*(?![^()${SPACE}])`;
const DESTINATION = new RegExp(
  `\\]\\([${SPACE}]*(?![${SPACE}])(?:<[^<>\\n]*>|${PLAIN}(?:\\([^()${SPACE}]*\\)${PLAIN})*)([^()\\n]*)\\)`,
  "gu",
);
const DEFINITION = new RegExp(`${LINE_START} {0,3}\\[[^\\]\\n]+\\]:[ \\t]*[^${SPACE}]+`, "gu");
const WIKI_LABELLED = /\[\[[^[\]\n|]*\|([^[\]\n]*)\]\]/gu;
const WIKI = /\[\[[^[\]\n]*\]\]/gu;
const BARE_ADDRESS = new RegExp(`https?://[^${SPACE}<>"'()\\[\\]\\u3000-\\u303f\\uff00-\\uffef]+`, "gu");
const ATTRIBUTES = /\{[ \t]*[#.:][^{}\n]*\}/gu;
const ENTITY = /&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});/gu;
const INLINE_TAG = new RegExp(
  `#(?<![${WORD}_/#&=?.:\\-]#)((?:[${WORD}_\\-]+/)*[${WORD}_\\-]+)`,
  "gu",
);

/* Digits that are no decimal digits: superscripts, circled ones and the like. */
const DIGIT =
  "\\p{Nd}\\xb2\\xb3\\xb9\\u1369-\\u1371\\u19da\\u2070\\u2074-\\u2079\\u2080-\\u2089\\u2460-\\u2468\\u2474-\\u247c" +
  "\\u2488-\\u2490\\u24ea\\u24f5-\\u24fd\\u24ff\\u2776-\\u277e\\u2780-\\u2788\\u278a-\\u2792\\u{10a40}-\\u{10a43}" +
  "\\u{10e60}-\\u{10e68}\\u{11052}-\\u{1105a}\\u{1f100}-\\u{1f10a}";
const NO_NUMBER = new RegExp(`[^${DIGIT}_\\-/]`, "u");

/** The words of a piece of Markdown that a reader of the page would see, code included. */
export function searchText(markdown) {
  return markdown
    .replace(HTML_COMMENT, " ")
    .replace(AUTOLINK, " ")
    .replace(HTML_TAG, " ")
    .replace(DESTINATION, "] $1 ")
    .replace(DEFINITION, " ")
    .replace(WIKI_LABELLED, " $1 ")
    .replace(BARE_ADDRESS, " ")
    .replace(ATTRIBUTES, " ")
    .replace(ENTITY, " ");
}

/** The tags of a document: those of the front matter first, then `#tag` in the text outside code, each once. */
export function documentTags(metaTags, text) {
  const bare = withoutCodeSpans(text.replace(FENCED, "\n"))
    .replace(HTML_TAG, " ")
    .replace(DESTINATION, "] ")
    .replace(WIKI, " ")
    .replace(BARE_ADDRESS, " ")
    .replace(ATTRIBUTES, " ");
  const inline = [...bare.matchAll(INLINE_TAG)].map(([, tag]) => tag.replace(/^\/+|\/+$/g, ""));
  return [...new Set([...metaTags, ...inline.filter((tag) => NO_NUMBER.test(tag))])];
}

/** A front matter list of words: a list, or one string parted by commas; `#` in front goes. */
export function metaList(value) {
  const items = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return items
    .filter((item) => typeof item === "string")
    .map((item) => stripped(stripped(item).replace(/^#+/, "")))
    .filter((item) => item !== "");
}

/* Every code span as a space: it runs from some backticks to the next as many in its line. */
function withoutCodeSpans(text) {
  const marks = [...text.matchAll(BACKTICKS)];
  const closers = closersOf(marks);
  const kept = [];
  let position = 0;
  let number = 0;
  while (number < marks.length) {
    const closer = closers[number];
    if (closer > number) {
      kept.push(text.slice(position, marks[number].index));
      position = marks[closer].index + marks[closer][0].length;
    }
    number = Math.max(closer, number) + 1;
  }
  return [...kept, text.slice(position)].join(" ");
}

/* For each run of backticks the index of the next as long in its line; -1 if there is none. */
function closersOf(marks) {
  const closers = new Array(marks.length).fill(-1);
  const following = new Map();
  for (let number = marks.length - 1; number >= 0; number -= 1) {
    const [mark] = marks[number];
    if (mark === "\n") {
      following.clear();
    } else {
      closers[number] = following.get(mark) ?? -1;
      following.set(mark, number);
    }
  }
  return closers;
}
