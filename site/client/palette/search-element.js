/* <nb-search>: what opens the palette: the field in the header, whatever bears [data-searches], the keys `/` and
   Ctrl K or ⌘ K, and `?q=` in the address. The palette and the search behind it are fetched when first asked for.
   data-sheet: its styles. Words: data-failed. */
import { singleKey } from "../keys/single-keys.js";
import { sheet } from "../on-demand.js";
import { say } from "../say/say.js";

export class SearchElement extends HTMLElement {
  #life;
  #palette;

  connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    document.addEventListener("click", this.#clicked, { signal });
    document.addEventListener("keydown", this.#pressed, { signal });
    for (const sign of ["pointerenter", "focusin"]) this.addEventListener(sign, this.#expected, { signal });
    const asked = new URLSearchParams(location.search).get("q");
    if (asked) this.#open(asked);
  }

  disconnectedCallback() {
    this.#life.abort();
  }

  #clicked = ({ target }) => {
    if (target.closest?.("[data-searches]")) this.#open();
  };

  #pressed = (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const combined = key.toLowerCase() === "k" && ctrlKey !== metaKey && !altKey && !shiftKey;
    const alone = singleKey(event) === "/" && !document.querySelector("dialog:modal");
    if (!combined && !alone) return;
    event.preventDefault();
    this.#open();
  };

  #expected = () => {
    this.#load().catch(() => {}); // Whoever opens it then is told.
  };

  async #open(typed) {
    try {
      (await this.#load()).open(typed);
    } catch {
      say(this, this.dataset.failed, false);
    }
  }

  #load() {
    this.#palette ??= Promise.all([import("./registration.js"), sheet(this.dataset.sheet)]).then(
      () => document.querySelector("nb-palette"),
      (error) => {
        this.#palette = undefined;
        throw error;
      },
    );
    return this.#palette;
  }
}
