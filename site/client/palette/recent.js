/* Results opened last, kept in this browser alone. Sites that share an origin keep apart. */

import { pageAddress } from "../knowledge/addresses.js";

const LIMIT = 6;

/** @typedef {{title: string, section: string, url: string, anchor: string, language: string}} Opened url: as published */

export class Recent {
  #root;
  #key;

  /** @param {URL} root of the site */
  constructor(root) {
    this.#root = root;
    this.#key = `nb-opened:${root.pathname}`;
  }

  /** @returns {Opened[]} newest first */
  list() {
    try {
      const kept = JSON.parse(localStorage.getItem(this.#key) ?? "[]");
      return Array.isArray(kept) ? kept.filter((each) => this.#isOpened(each)).slice(0, LIMIT) : [];
    } catch {
      return []; // Storage is refused, or holds something else.
    }
  }

  /** @param {Opened} opened */
  add(opened) {
    const others = this.list().filter(({ url, anchor }) => url !== opened.url || anchor !== opened.anchor);
    try {
      localStorage.setItem(this.#key, JSON.stringify([opened, ...others].slice(0, LIMIT)));
    } catch {
      // Storage is refused: nothing is remembered.
    }
  }

  #isOpened(value) {
    const fields = ["title", "section", "url", "anchor", "language"];
    const whole = value !== null && typeof value === "object" && fields.every((field) => typeof value[field] === "string");
    return whole && pageAddress(this.#root, value.url) !== null;
  }
}
