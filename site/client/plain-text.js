/* Markdown as a person would read it aloud: for a line of a document that is shown outside its page. Every
   expression passes over a stretch once, since the text may be hostile. */

const STEPS = [
  [/%%[^%]*%%|<!--[^>]*-->/gu, ""],
  [/!\[\[[^[\]\n]*\]\]/gu, ""],
  [/!\[([^[\]\n]*)\]\([^()\n]*\)/gu, "$1"],
  [/\[\[(?:[^[\]|\n]*\|)?([^[\]|\n]*)\]\]/gu, "$1"],
  [/\[\^[^[\]\n]+\]:?/gu, ""],
  [/\[([^[\]\n]*)\]\([^()\n]*\)/gu, "$1"],
  [/\[([^[\]\n]*)\]\[[^[\]\n]*\]/gu, "$1"],
  [/<\/?[A-Za-z][^<>\n]*>/gu, ""],
  [/\{[#.:][^{}\n]*\}/gu, ""],
  [/^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|:)[ \t]+)?(?:\[[ xX]\][ \t]+)?(?:#{1,6}[ \t]+)?/gmu, ""],
  [/\*+|~~|==|`+/gu, ""],
  [/(?<![\p{L}\p{N}_])_{1,2}(?=\S)|(?<=\S)_{1,2}(?![\p{L}\p{N}_])/gu, ""],
  [/\\([!-/:-@[-`{-~])/gu, "$1"],
  [/^[ \t]*\||\|[ \t]*$/gmu, ""],
  [/[ \t]*\|[ \t]*/gu, " · "],
  [/(?<=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3000-\u303f\uff00-\uffef])\n(?=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3000-\u303f\uff00-\uffef])/gu, ""],
  [/\s+/gu, " "],
];

/** @param {string} markdown a few blocks of it, without code blocks  @returns {string} one line */
export function plainText(markdown) {
  return STEPS.reduce((text, [mark, instead]) => text.replace(mark, instead), markdown).trim();
}

const NO_PROSE = /^[ \t]*(?:#{1,6}[ \t]|[|>]|!!!|\?\?\?|\$\$|:::|---|===|\[\^|!\[\[?|<)/u;
const FENCE = /^[ \t]*(`{3,}|~{3,})/u;

/** The first paragraphs of a document, as plain text. @param {string} markdown  @param {number} enough characters */
export function leadingText(markdown, enough) {
  const found = [];
  let length = 0;
  for (const block of blocksOutsideFences(markdown)) {
    if (NO_PROSE.test(block)) continue;
    const text = plainText(block);
    if (text === "") continue;
    found.push(text);
    length += text.length;
    if (length >= enough) break;
  }
  return found.join(" ");
}

function* blocksOutsideFences(markdown) {
  let fence = "";
  let block = [];
  for (const line of markdown.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence ? mark?.startsWith(fence) : mark) fence = fence ? "" : mark;
    const ends = fence !== "" || mark !== undefined || line.trim() === "" || NO_PROSE.test(line);
    if (ends && block.length > 0) yield block.splice(0).join("\n");
    if (!fence && mark === undefined && line.trim() !== "" && !NO_PROSE.test(line)) block.push(line);
  }
  if (block.length > 0) yield block.join("\n");
}
