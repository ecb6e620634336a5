/* Sentences of running text, by the rules of its language. No DOM, no network. */

/**
 * @param {string} text  @param {string} language BCP 47
 * @returns {{start: number, end: number}[]} where each sentence lies, without the space around it
 */
function sentences(text, language) {
  const found = [];
  for (const { segment, index } of segmenter(language).segment(text)) {
    const start = index + segment.length - segment.trimStart().length;
    const end = index + segment.trimEnd().length;
    if (end > start) found.push({ start, end });
  }
  return found;
}

/** The first whole sentences that fit; a first one that is too long is cut, and says so. */
export function firstSentences(text, language, longest) {
  const fitting = sentences(text, language).filter(({ end }) => end <= longest);
  if (fitting.length > 0) return text.slice(fitting[0].start, fitting.at(-1).end);
  return text.trim().length <= longest ? text.trim() : `${cut(text.trim(), longest, language)}…`;
}

/**
 * The sentence that holds a stretch of a text, cut to `longest` characters around it.
 * @returns {[string, string, string]} what stands before the stretch, the stretch, what stands behind it
 */
export function sentenceAround(text, start, end, language, longest) {
  const all = sentences(text, language);
  const first = all.findLast((sentence) => sentence.start <= start) ?? { start: 0 };
  const last = all.find((sentence) => sentence.end >= end) ?? { end: text.length };
  const before = text.slice(first.start, start);
  const behind = text.slice(end, last.end);
  const room = Math.max(24, (longest - (end - start)) >> 1);
  return [fromEnd(before, room, language), text.slice(start, end), toEnd(behind, room, language)];
}

function toEnd(text, room, language) {
  return text.length <= room ? text : `${cut(text, room, language)}…`;
}

function fromEnd(text, room, language) {
  if (text.length <= room) return text;
  const at = text.length - room;
  const word = [...words(language).segment(text)].find(({ index }) => index >= at);
  return `…${text.slice(word?.index ?? at).trimStart()}`;
}

/* Up to the last word that still fits. */
function cut(text, longest, language) {
  const word = words(language).segment(text).containing(longest);
  return text.slice(0, word?.index || longest).trimEnd();
}

function segmenter(language) {
  return of(language, "sentence");
}

function words(language) {
  return of(language, "word");
}

/* A language that the browser has never heard of is cut by the rules common to all. */
function of(language, granularity) {
  try {
    return new Intl.Segmenter(language, { granularity });
  } catch {
    return new Intl.Segmenter("und", { granularity });
  }
}
