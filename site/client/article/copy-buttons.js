import { icon } from "../icon.js";
import { copyText } from "../say/clipboard.js";
import { say } from "../say/say.js";

const SHOWN_MS = 2000;

/**
 * A copy button in the head of every code figure. Words: data-copy, data-copied, data-refused of the article.
 * @returns {() => void} takes them away
 */
export function addCopyButtons(article) {
  const buttons = [...article.querySelectorAll("figure.code")].map((figure) => new CopyButton(figure, article.dataset));
  return () => {
    for (const button of buttons) button.remove();
  };
}

class CopyButton {
  #figure;
  #words;
  #button = document.createElement("button");
  #label = document.createElement("span");
  #timer;

  constructor(figure, words) {
    this.#figure = figure;
    this.#words = words;
    this.#button.type = "button";
    this.#button.className = "btn quiet";
    this.#button.addEventListener("click", this.#pressed);
    this.#show("copy", words.copy);
    (figure.querySelector(":scope > header") ?? figure).append(this.#button);
  }

  remove() {
    clearTimeout(this.#timer);
    this.#button.removeEventListener("click", this.#pressed);
    this.#button.remove();
  }

  #pressed = async () => {
    clearTimeout(this.#timer);
    const { copy, copied, refused } = this.#words;
    if (!(await copyText(this.#figure.querySelector("pre").textContent))) return say(this.#button, refused, false);
    this.#show("check", copied);
    this.#timer = setTimeout(() => this.#show("copy", copy), SHOWN_MS);
  };

  #show(name, text) {
    this.#label.textContent = text;
    this.#button.replaceChildren(icon(name, this.#words.sprite), this.#label);
  }
}
