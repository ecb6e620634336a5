import { codePieces } from "./code-pieces.js";

const LARGEST = 50_000; // characters; beyond that the text stays as it is

/**
 * Colours the code that comes near the window, as highlights over the text: the markup, and so what is
 * copied or quoted, stays as it was.
 * @returns {() => void} takes the colours away
 */
export function addCodeColours(article) {
  if (!globalThis.CSS?.highlights) return () => {};
  const painted = [];
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
        near.unobserve(target);
        painted.push(...paint(target));
      }
    },
    { rootMargin: "600px" },
  );
  for (const code of article.querySelectorAll("pre > code[class*='language-']")) near.observe(code);
  return () => {
    near.disconnect();
    for (const { kind, range } of painted) highlight(kind).delete(range);
  };
}

function paint(code) {
  const language = /language-(\S+)/.exec(code.className)?.[1] ?? "";
  const text = code.firstChild;
  if (code.childNodes.length !== 1 || text.nodeType !== Node.TEXT_NODE || text.length > LARGEST) return [];
  return codePieces(text.data, language).map(({ kind, start, end }) => {
    const range = new StaticRange({ startContainer: text, startOffset: start, endContainer: text, endOffset: end });
    highlight(kind).add(range);
    return { kind, range };
  });
}

function highlight(kind) {
  const name = `nb-${kind}`;
  if (!CSS.highlights.has(name)) CSS.highlights.set(name, new Highlight());
  return CSS.highlights.get(name);
}
