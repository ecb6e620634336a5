/* The query plan of manifest/query_plan.py: which terms of a question are looked up, and in which order. */
import { byCodePoints, firstCodePoints } from "./code-points.js";
import { searchText } from "./search-text.js";
import { runs } from "./tokens.js";

export const TERM_LIMIT = 10;

const HOT_SHARE = 50;
const HOT_FLOOR = 64;

const QUESTION_LIMIT = 2000;

const FILLER_PHRASES = new RegExp(
  "请问|麻烦|帮我|告诉我|我想知道|想了解|想知道|了解一下|解释一下|介绍一下|说一下|说说|讲讲|一下|" +
    "是什么意思|指的是什么|是什么样的|是什么|什么叫做|什么叫|什么是|为什么要|为什么会|为什么|为何|什么时候|" +
    "什么样的|什么|怎么样|怎么办|怎么|怎样|如何|有哪几种|有哪几个|有哪些|有哪几|有哪|哪几种|哪几个|哪几|" +
    "哪些|哪种|哪个|哪一个|哪里|几种|几个|多少|是不是|能不能|可不可以|可以|有没有|需要|应该|" +
    "之间的|之间|以及|分别|主要|一般|通常|具体|关于|对于|里面|其中|" +
    "有什么|[吗呢吧啊呀的了是有和与跟]",
  "gu",
);

const FILLER_WORDS = new Set(
  (
    "a about an and are as at be been but by can could did do does doing explain for from had has have how i if in " +
    "into is it its me mean means of on one or please should so some tell than that the their them there these they " +
    "this those to up us use used was we were what whats when where which who why will with would you your"
  ).split(" "),
);

/**
 * A term to look up; a prefix stands for every term that begins with it.
 * @typedef {{term: string, prefix: boolean}} QueryTerm
 */

/** What tells one query term from another. @param {QueryTerm} term */
export function termKey({ term, prefix }) {
  return prefix ? `${term}*` : term;
}

/**
 * The terms of a question in its order, each once, question words and fillers left out; if nothing else is left, they
 * are the terms. A single character of a bigram script becomes a prefix.
 * @returns {QueryTerm[]}
 */
export function queryTerms(question) {
  const text = searchText(firstCodePoints(question, QUESTION_LIMIT));
  const found = termsOf(text.replace(FILLER_PHRASES, " "), FILLER_WORDS);
  return found.length > 0 ? found : termsOf(text, new Set());
}

/** Of so many units, how many must have a term that is hot. */
export function hotThreshold(units) {
  return Math.max(HOT_FLOOR, Math.floor(units / HOT_SHARE) + 1);
}

/**
 * At most `TERM_LIMIT` terms: those that are not hot in the order of the question, then hot ones by rising count.
 * @param {QueryTerm[]} terms  @param {Map<string, number>} hot units by term
 */
export function planTerms(terms, hot) {
  const isHot = ({ term, prefix }) => !prefix && hot.has(term);
  const warm = terms.filter(isHot);
  warm.sort((one, other) => hot.get(one.term) - hot.get(other.term) || byCodePoints(one.term, other.term));
  return [...terms.filter((term) => !isHot(term)), ...warm].slice(0, TERM_LIMIT);
}

function termsOf(text, fillers) {
  const found = new Map();
  const keep = (term, prefix = false) => found.set(termKey({ term, prefix }), { term, prefix });
  for (const run of runs(text)) {
    if (!run.bigrams) {
      const word = soughtForm(run.tokens);
      if (!fillers.has(word)) keep(word);
    } else if (run.tokens.length === 1) {
      keep(run.tokens[0], true);
    } else {
      for (const pair of run.tokens.slice(0, -1)) keep(pair);
    }
  }
  return [...found.values()];
}

/* Of an identifier the whole is looked up; with a suffix (`c++`), that form of it. */
function soughtForm([whole, second]) {
  return /[+#]$/.test(second ?? "") ? second : whole;
}
