/* <nb-hash data-sha256>: strip and eight digits; a click copies all 64.
   Words: data-label, data-copy, data-copied, data-refused. */
import { isHash } from "../knowledge/addresses.js";
import { copyText } from "../say/clipboard.js";
import { say } from "../say/say.js";
import { STRIP_HEIGHT, STRIP_WIDTH, stripPath } from "./strip.js";

const SVG = "http://www.w3.org/2000/svg";

export class HashElement extends HTMLElement {
  static observedAttributes = ["data-sha256"];

  #life;

  connectedCallback() {
    this.#life = new AbortController();
    this.addEventListener("click", this.#copy, { signal: this.#life.signal });
    this.#draw();
  }

  disconnectedCallback() {
    this.#life.abort();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#draw();
  }

  #draw() {
    const { sha256, label, copy } = this.dataset;
    if (!isHash(sha256)) return this.replaceChildren();
    const button = document.createElement("button");
    button.type = "button";
    button.className = "hash";
    if (label) button.append(withText("b", label));
    button.append(strip(sha256), withText("span", sha256.slice(0, 8)), withText("span", `, ${copy}`, "vh"));
    this.replaceChildren(button);
  }

  #copy = async () => {
    const { sha256, copied, refused } = this.dataset;
    const done = await copyText(sha256);
    say(this, done ? copied : refused, done);
  };
}

function strip(sha256) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${STRIP_WIDTH} ${STRIP_HEIGHT}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", stripPath(sha256));
  svg.append(path);
  return svg;
}

function withText(name, text, className = "") {
  const element = document.createElement(name);
  element.textContent = text;
  if (className) element.className = className;
  return element;
}
