/* The listbox under the field: which option is active, and how it moves. Focus stays in the field. */
import { showInBox } from "../scrolling.js";

export class ResultList {
  #box;
  #field;
  #chosen;

  /** @param {HTMLElement} box role listbox  @param {HTMLInputElement} field role combobox
      @param {(option: Element | undefined) => void} chosen told of every new active option */
  constructor(box, field, chosen) {
    this.#box = box;
    this.#field = field;
    this.#chosen = chosen;
  }

  get active() {
    return this.#box.querySelector("[aria-selected=true]");
  }

  get options() {
    return [...this.#box.querySelectorAll("[role=option]")];
  }

  /** Shows other groups, and makes the first option active. */
  show(groups) {
    const filled = groups.filter((group) => group.querySelector("[role=option]"));
    this.#box.replaceChildren(...filled);
    this.#box.hidden = filled.length === 0;
    this.#box.scrollTop = 0;
    this.#field.setAttribute("aria-expanded", String(filled.length > 0));
    this.choose(this.options[0], false);
  }

  /** Puts a group in the place of another; what was active there is so in the new one. */
  replace(group, by) {
    const wasActive = group.contains(this.active);
    group.replaceWith(by);
    if (wasActive) this.choose(by.querySelector("[role=option]"), false);
  }

  /** Makes the next option active, or the one before; round the ends. */
  move(step) {
    const { options } = this;
    if (options.length === 0) return;
    const place = (options.indexOf(this.active) + step + options.length) % options.length;
    this.choose(options[place], true);
    if (place === 0) this.#box.scrollTop = 0;
  }

  choose(option, scroll) {
    if (option && option === this.active) return;
    this.active?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    if (option) this.#field.setAttribute("aria-activedescendant", option.id);
    else this.#field.removeAttribute("aria-activedescendant");
    if (option && scroll) showInBox(option, this.#box);
    this.#chosen(option);
  }
}
