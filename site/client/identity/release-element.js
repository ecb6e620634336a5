/* <nb-release>: when the site was released, how many notes it holds, its revision. What is not known is left out. */
import { thisSite } from "../knowledge/this-site.js";
import { revisionChip } from "./revision-element.js";

export class ReleaseElement extends HTMLElement {
  #life;

  async connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    try {
      const manifest = await thisSite.manifest(signal);
      const { docs } = await thisSite.rootObject(signal);
      this.replaceChildren(...this.#facts(manifest, docs));
    } catch {
      if (!signal.aborted) this.replaceChildren();
    }
  }

  disconnectedCallback() {
    this.#life.abort();
  }

  #facts({ publishedAt, revision }, docs) {
    const language = document.documentElement.lang;
    const facts = [revisionChip(revision, this.dataset)];
    if (Number.isSafeInteger(docs)) facts.unshift(span(countInWords(docs, language, this.dataset)));
    const day = dayInWords(publishedAt, language);
    if (day) facts.unshift(span(this.dataset.released.replace("{date}", day)));
    return facts;
  }
}

/** @returns {string} 28 Nov 2026, 2026年11月28日; empty for what is not a date */
export function dayInWords(iso, language) {
  const date = new Date(iso ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return "";
  const chinese = language.toLowerCase().startsWith("zh");
  const form = { year: "numeric", month: chinese ? "long" : "short", day: "numeric", timeZone: "UTC" };
  return new Intl.DateTimeFormat(chinese ? "zh-Hans" : "en-GB", form).format(date);
}

function countInWords(docs, language, { count, countOne }) {
  return docs === 1 ? countOne : count.replace("{n}", new Intl.NumberFormat(language).format(docs));
}

function span(text) {
  const element = document.createElement("span");
  element.textContent = text;
  return element;
}
