/* <nb-article>: gives the note's HTML what only script can give: copy buttons, links to sections, keyboard
   access to boxes that scroll. Everything added is taken away again. */
import { addCopyButtons } from "./copy-buttons.js";
import { addScrollStops } from "./scroll-stops.js";
import { addSectionLinks } from "./section-links.js";

export class ArticleElement extends HTMLElement {
  #undo = [];

  connectedCallback() {
    this.#undo = [addCopyButtons(this), addSectionLinks(this), addScrollStops(this)];
  }

  disconnectedCallback() {
    for (const undo of this.#undo.splice(0)) undo();
  }
}
