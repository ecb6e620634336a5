/* <nb-toast role="status">: one line for four seconds. Never for errors that need an action. */
import { SAY } from "./say.js";

const SHOWN_MS = 4000;

export class ToastElement extends HTMLElement {
  #life;
  #timer;

  connectedCallback() {
    this.#life = new AbortController();
    document.addEventListener(SAY, this.#said, { signal: this.#life.signal });
  }

  disconnectedCallback() {
    this.#life.abort();
    clearTimeout(this.#timer);
    this.replaceChildren();
  }

  #said = ({ detail }) => {
    clearTimeout(this.#timer);
    const line = document.createElement("p");
    line.textContent = detail.text;
    line.classList.toggle("done", detail.done);
    this.replaceChildren(line);
    this.#timer = setTimeout(() => this.replaceChildren(), SHOWN_MS);
  };
}
