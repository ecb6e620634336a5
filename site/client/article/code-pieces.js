/* Which parts of a piece of code are keywords, strings, numbers, comments. A reading aid, not a parser:
   one pass, a few families of languages, and nothing coloured where the language is not known. */

const C_LIKE = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`;
const HASH = String.raw`(?<![\w$])#[^\n]*`;
const DASHES = String.raw`--[^\n]*`;
const MARKUP = String.raw`<!--[\s\S]*?(?:-->|$)`;

const COMMENTS = {
  [C_LIKE]:
    "c cpp c++ h cs csharp java javascript js jsx ts tsx typescript kotlin swift go rust rs scala " +
    "dart php groovy json5 proto css scss less zig",
  [HASH]:
    "python py ruby rb sh bash shell zsh console yaml yml toml ini conf perl r julia make " +
    "makefile dockerfile docker nginx elixir properties",
  [DASHES]: "sql mysql lua haskell hs ada",
  [MARKUP]: "html xml svg vue",
  "": "json",
};

const WORDS =
  "abstract and as assert async await break case catch class const continue def default defer " +
  "del delete do elif else end enum except export extends false final finally fn for foreach " +
  "from func function global go if implements import in instanceof interface is lambda let loop " +
  "match mod module mut namespace new nil none not null or package pass private protected pub " +
  "public raise return self static struct super switch synchronized template then this throw " +
  "throws trait true try type typedef union unless until use using val var void volatile when " +
  "where while with yield bool boolean byte char double float int long short signed string " +
  "unsigned";
const SQL_WORDS =
  "select insert update delete create table alter drop join left right inner outer on group by " +
  "order having limit values into set primary key index view distinct exists between like begin " +
  "commit rollback explain";

const KEYWORDS = new Set(WORDS.split(" "));
const SQL_KEYWORDS = new Set([...KEYWORDS, ...SQL_WORDS.split(" ")]);
const STRING = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|` + "`(?:\\\\.|[^`\\\\])*`";
const NUMBER = String.raw`(?<![\w$])(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\w*`;
const WORD = String.raw`[A-Za-z_$][\w$]*`;

const KINDS = ["comment", "string", "number"];
const PATTERNS = new Map();
for (const [comment, languages] of Object.entries(COMMENTS)) {
  const rest = `(?<string>${STRING})|(?<number>${NUMBER})|(?<word>${WORD})`;
  const pattern = comment ? `(?<comment>${comment})|${rest}` : rest;
  for (const language of languages.split(" ")) PATTERNS.set(language, pattern);
}

/**
 * @param {string} code
 * @param {string} language as the author named it
 * @returns {{kind: "keyword" | "string" | "number" | "comment", start: number, end: number}[]} in UTF-16 units
 */
export function codePieces(code, language) {
  const pattern = PATTERNS.get(language.toLowerCase());
  if (pattern === undefined) return [];
  const pieces = [];
  for (const { 0: text, index, groups } of code.matchAll(new RegExp(pattern, "g"))) {
    const kind = groups.word ? keyword(groups.word, language) : KINDS.find((name) => groups[name]);
    if (kind) pieces.push({ kind, start: index, end: index + text.length });
  }
  return pieces;
}

/* SQL is shouted or not, and has words of its own; elsewhere a capital makes another word. */
function keyword(word, language) {
  const known = /sql/i.test(language) ? SQL_KEYWORDS.has(word.toLowerCase()) : KEYWORDS.has(word);
  return known ? "keyword" : undefined;
}
