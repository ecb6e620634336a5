/* <nb-keys>: the list of keys, opened by `?` or by whatever bears [data-opens-keys]; in it, keys that act
   alone are switched off and on. */
import { singleKey, singleKeysAreOn, switchSingleKeys } from "./single-keys.js";

export class KeysElement extends HTMLElement {
  #life;

  connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    document.addEventListener("keydown", this.#pressed, { signal });
    document.addEventListener("click", this.#clicked, { signal });
    this.addEventListener("change", this.#switched, { signal });
  }

  disconnectedCallback() {
    this.#life.abort();
    this.#dialog.close();
  }

  get #dialog() {
    return this.querySelector("dialog");
  }

  get #switch() {
    return this.querySelector("input[type=checkbox]");
  }

  #pressed = (event) => {
    if (singleKey(event) !== "?" || document.querySelector("dialog:modal")) return;
    event.preventDefault();
    this.#open();
  };

  /* The dialog itself is hit only through its backdrop: its content covers it. */
  #clicked = ({ target }) => {
    if (target.closest?.("[data-opens-keys]")) this.#open();
    else if (target === this.#dialog || (this.contains(target) && target.closest("[data-closes]"))) this.#dialog.close();
  };

  #open() {
    this.#switch.checked = singleKeysAreOn();
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  #switched = () => {
    if (!switchSingleKeys(this.#switch.checked)) this.#switch.checked = singleKeysAreOn();
  };
}
