/* <nb-contents>: marks the section being read in the list it holds, and keeps the list open where it
   stands beside the text. */
import { showInBox } from "../scrolling.js";
import { currentAnchor, READING_LINE } from "./position.js";

const BESIDE = "(width >= 80em)";

export class ContentsElement extends HTMLElement {
  #life;
  #observer;
  #passed = new Set();
  #wanted;

  connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    const beside = matchMedia(BESIDE);
    this.#fold(beside.matches);
    beside.addEventListener("change", ({ matches }) => this.#fold(matches), { signal });
    this.addEventListener("click", this.#chosen, { signal });
    this.#watch();
  }

  disconnectedCallback() {
    this.#life.abort();
    this.#observer.disconnect();
    this.#passed.clear();
    this.#wanted = undefined;
  }

  #links() {
    return [...this.querySelectorAll("a[href^='#']")];
  }

  #fold(open) {
    const details = this.querySelector("details");
    if (details) details.open = open;
  }

  /* The observed field reaches from far above the window down to the reading line, so that a heading
     is inside it exactly when it has been passed, however far one jump of the page went. */
  #watch() {
    const below = Math.round((1 - READING_LINE) * 100);
    this.#observer = new IntersectionObserver(this.#moved, { rootMargin: `1000000px 0px -${below}% 0px` });
    for (const link of this.#links()) {
      const heading = document.getElementById(anchorOf(link));
      if (heading) this.#observer.observe(heading);
    }
  }

  #moved = (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.#passed.add(target.id);
      else this.#passed.delete(target.id);
    }
    if (!atTheEnd()) this.#wanted = undefined;
    this.#mark(this.#wanted ?? currentAnchor(this.#links().map(anchorOf), this.#passed));
  };

  /* A short last section may never reach the line: while the page is at its end, what was chosen holds. */
  #chosen = ({ target }) => {
    const link = target.closest("a[href^='#']");
    if (!link) return;
    this.#wanted = anchorOf(link);
    this.#mark(this.#wanted);
  };

  #mark(anchor) {
    for (const link of this.#links()) {
      if (anchorOf(link) !== anchor) {
        link.removeAttribute("aria-current");
      } else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "true");
        showInBox(link, this.querySelector("details"));
      }
    }
  }
}

function atTheEnd() {
  const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
  return scrollTop + clientHeight >= scrollHeight - 2;
}

function anchorOf(link) {
  return decodeURIComponent(link.hash.slice(1));
}
