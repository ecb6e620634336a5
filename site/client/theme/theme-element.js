/* <nb-theme>: the button that changes the theme. Words: data-system, data-light, data-dark. */
import { asChoice, nextChoice, STORAGE_KEY } from "./choice.js";

export class ThemeElement extends HTMLElement {
  #life;
  #choice = "system";

  connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    this.addEventListener("click", this.#pressed, { signal });
    addEventListener("storage", this.#stored, { signal });
    this.#apply(asChoice(document.documentElement.dataset.theme));
  }

  disconnectedCallback() {
    this.#life.abort();
  }

  #pressed = () => {
    this.#apply(nextChoice(this.#choice, matchMedia("(prefers-color-scheme: dark)").matches));
    try {
      if (this.#choice === "system") localStorage.removeItem(STORAGE_KEY);
      else localStorage.setItem(STORAGE_KEY, this.#choice);
    } catch {
      // Storage is refused: the choice holds for this page.
    }
  };

  /* Another tab chose; a null key means that everything was cleared. */
  #stored = ({ key, newValue }) => {
    if (key === STORAGE_KEY || key === null) this.#apply(asChoice(newValue));
  };

  #apply(choice) {
    this.#choice = choice;
    const { dataset } = document.documentElement;
    if (choice === "system") delete dataset.theme;
    else dataset.theme = choice;
    const button = this.querySelector("button");
    button.setAttribute("aria-label", this.dataset[choice]);
    button.title = this.dataset[choice];
    const use = button.querySelector("use");
    use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#theme-${choice}`));
  }
}
