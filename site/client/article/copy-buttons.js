import { icon } from "../icon.js";
import { copyText } from "../say/clipboard.js";
import { say } from "../say/say.js";

const SHOWN_MS = 2000;

/**
 * A copy button in the head of every code figure. Words: data-copy, data-copied, data-refused of the article.
 * @returns {() => void} takes them away
 */
export function addCopyButtons(article) {
  const buttons = [...article.querySelectorAll("figure.code")].map((figure) => addButton(figure, article.dataset));
  return () => buttons.forEach((button) => button.remove());
}

function addButton(figure, { copy, copied, refused, sprite }) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn quiet";
  const label = document.createElement("span");
  label.textContent = copy;
  button.append(icon("copy", sprite), label);
  let timer;
  button.addEventListener("click", async () => {
    clearTimeout(timer);
    if (!(await copyText(figure.querySelector("pre").textContent))) return say(button, refused);
    show(button, label, "check", copied);
    timer = setTimeout(() => show(button, label, "copy", copy), SHOWN_MS);
  });
  headOf(figure).append(button);
  return button;
}

function show(button, label, name, text) {
  const use = button.querySelector("use");
  use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${name}`));
  label.textContent = text;
}

function headOf(figure) {
  return figure.querySelector(":scope > header") ?? figure;
}
