/* The Markdown of a section as blocks of plain words: enough to show where the words of a search stand. It is no
   renderer: what it does not know stays text, links and images leave their words, HTML goes. */

/**
 * kind: "text", "item", "quote", "code", "heading" or "row". depth: of an item. ordered: its number, if it has one.
 * runs: pieces of text, `strong` or `code`, in order; cells: of a row, the runs of each cell.
 * @typedef {{text: string, strong?: boolean, code?: boolean}} Run
 * @typedef {{kind: string, runs?: Run[], cells?: Run[][], depth?: number, number?: string}} Block
 */

const FENCE = /^[ \t>]*(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*(?:\{[#.:][^{}]*\})?[ \t]*$/;
const ITEM = /^([ \t]*)(?:[-*+]|(\d{1,9})[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)$/;
const QUOTE = /^[ \t]*(?:>[ \t]?)+(.*)$/;
const CALLOUT = /^[ \t]*(?:(?:>[ \t]?)+\[![\w-]+\][-+]?|(?:!!!|\?\?\?\+?)[ \t]*[\w-]+)[ \t]*"?([^"]*)"?$/;
const RULE = /^[ \t]*(?:[-*_][ \t]*){3,}$|^[ \t]*(?:=+|-+)[ \t]*$/;
const TABLE_RULE = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const ROW = /^[ \t]*\|.*\|[ \t]*$/;

/** @param {string} markdown  @returns {Block[]} */
export function blocksOf(markdown) {
  const reader = new BlockReader();
  for (const line of markdown.split("\n")) reader.take(line);
  return reader.end();
}

class BlockReader {
  #blocks = [];
  #lines = [];
  #block;
  #fence = "";

  take(line) {
    const fence = FENCE.exec(line)?.[1];
    if (this.#fence) {
      if (fence?.startsWith(this.#fence)) this.#close();
      else this.#lines.push(line);
    } else if (fence) {
      this.#open({ kind: "code" });
      this.#fence = fence;
    } else if (line.trim() === "") {
      this.#close();
    } else {
      this.#takeText(line);
    }
  }

  end() {
    this.#close();
    return this.#blocks;
  }

  #takeText(line) {
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    const quote = QUOTE.exec(line);
    const callout = CALLOUT.exec(line);
    if (heading) this.#whole({ kind: "heading" }, heading[2]);
    else if (TABLE_RULE.test(line) || RULE.test(line)) this.#close();
    else if (ROW.test(line)) this.#row(line);
    else if (item) this.#open({ kind: "item", depth: Math.min(3, item[1].length >> 1), number: item[2] }, item[3]);
    else if (callout) this.#whole({ kind: "quote" }, `**${callout[1].trim()}**`);
    else if (quote) this.#continue("quote", quote[1]);
    else this.#continue(this.#block?.kind ?? "text", line.trim());
  }

  #row(line) {
    this.#close();
    const cells = line.trim().slice(1, -1).split(/(?<!\\)\|/);
    this.#blocks.push({ kind: "row", cells: cells.map((cell) => runsOf(cell.trim())) });
  }

  #whole(block, text) {
    this.#open(block, text);
    this.#close();
  }

  #continue(kind, text) {
    if (this.#block?.kind === kind || (this.#block?.kind === "item" && kind === "text")) this.#lines.push(text);
    else this.#open({ kind }, text);
  }

  #open(block, ...lines) {
    this.#close();
    this.#block = block;
    this.#lines = lines;
  }

  #close() {
    if (this.#block) {
      const code = this.#block.kind === "code";
      const runs = code ? [{ text: this.#lines.join("\n"), code }] : runsOf(this.#lines.join("\n"));
      if (runs.some(({ text }) => text.trim() !== "")) this.#blocks.push({ ...this.#block, runs });
    }
    this.#block = undefined;
    this.#lines = [];
    this.#fence = "";
  }
}

const INLINE = /(`+)([^`][^]*?)\1(?!`)|(\*\*|__)(?=\S)([^]*?\S)\3/gu;

/* Pieces of a line: code and strong ones, and the words between them. */
function runsOf(text) {
  const runs = [];
  let reached = 0;
  for (const match of text.matchAll(INLINE)) {
    runs.push({ text: wordsOf(text.slice(reached, match.index)) });
    if (match[1]) runs.push({ text: match[2], code: true });
    else runs.push({ text: wordsOf(match[4]), strong: true });
    reached = match.index + match[0].length;
  }
  runs.push({ text: wordsOf(text.slice(reached)) });
  return runs.filter((run) => run.text !== "");
}

/* Markup that stands between words, or around them. */
function wordsOf(text) {
  return text
    .replace(/<!--[^]*?(?:-->|$)|%%[^]*?%%/gu, "")
    .replace(/<\/?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?\/?>/gu, "")
    .replace(/!?\[\[[^[\]\n|]*\|([^[\]\n]*)\]\]/gu, "$1")
    .replace(/!?\[\[([^[\]\n]*)\]\]/gu, "$1")
    .replace(/!?\[([^[\]\n]*)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)/gu, "$1")
    .replace(/\[([^[\]\n]*)\]\[[^[\]\n]*\]/gu, "$1")
    .replace(/\[\^[^[\]\n]*\]/gu, "")
    .replace(/\{[#.:][^{}\n]*\}/gu, "")
    .replace(/(?<![\p{L}\p{N}])[*_~=]{1,2}(?=\S)|(?<=\S)[*_~=]{1,2}(?![\p{L}\p{N}])/gu, "")
    .replace(/\\([!-/:-@[-`{-~])/gu, "$1")
    .replace(/&(nbsp|amp|lt|gt|quot);/gu, (_, name) => ENTITIES[name])
    .replace(/\s*\n\s*/gu, " ");
}

const ENTITIES = { nbsp: "\u00a0", amp: "&", lt: "<", gt: ">", quot: '"' };
