/* <nb-preview popover="manual" role="tooltip" id>: the first words of the note that a link leads to, after a link
   was pointed at or reached with the keyboard for a while. Never for touch. While it loads nothing is there, and
   if it fails nothing comes. The pointer may move onto it; Esc closes it. */
import { thisSite } from "../knowledge/this-site.js";
import { placeBeside } from "../placing.js";
import { footnotePreview, pagePreview } from "./page-preview.js";

const PAUSE_MS = 300;
const LEAVE_MS = 200;
const KEPT = 40;
const LARGEST = 1024 * 1024;

/** Links that are worth a preview: those in running text and in lists of notes. */
const PREVIEWED = ".prose a[href]:not(.sec, .ext, [role=doc-backlink]), .refs a[href]";

export class PreviewElement extends HTMLElement {
  #life;
  #timer;
  #asked;
  #link;
  #pages = new Map();

  connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    document.addEventListener("pointerover", this.#pointed, { signal, passive: true });
    document.addEventListener("pointerdown", this.#leave, { signal, passive: true });
    document.addEventListener("focusin", this.#focused, { signal });
    document.addEventListener("focusout", this.#blurred, { signal });
    document.addEventListener("keydown", this.#pressed, { signal });
    // The link that this code was fetched for is still pointed at, or has the focus.
    const state = matchMedia("(hover: hover)").matches ? ":hover, :focus-visible" : ":focus-visible";
    const meant = [...document.querySelectorAll(PREVIEWED)].find((link) => link.matches(state));
    if (meant) this.#soon(meant);
  }

  disconnectedCallback() {
    this.#leave();
    this.#life.abort();
    this.#pages.clear();
  }

  #pointed = ({ target, pointerType, clientX }) => {
    if (pointerType === "touch" || !(target instanceof Element)) return;
    const link = target.closest(PREVIEWED);
    if (link) this.#soon(link, clientX);
    else if (this.#link && !this.contains(target)) this.#later();
    else if (this.contains(target)) clearTimeout(this.#timer);
    else this.#forget();
  };

  #focused = ({ target }) => {
    if (target.matches?.(PREVIEWED) && target.matches(":focus-visible")) this.#soon(target);
  };

  #blurred = ({ target }) => {
    if (target === this.#link || target === this.#asked?.link) this.#leave();
  };

  #pressed = (event) => {
    if (event.key !== "Escape" || !this.#link) return;
    event.preventDefault();
    event.stopPropagation();
    this.#leave();
  };

  #soon(link, x) {
    clearTimeout(this.#timer);
    if (link === this.#link || link === this.#asked?.link) return;
    this.#asked?.abort.abort();
    this.#asked = { link, abort: new AbortController() };
    this.#timer = setTimeout(() => this.#show(link, x, this.#asked.abort.signal), PAUSE_MS);
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#leave, LEAVE_MS);
  }

  #forget() {
    if (this.#link) return;
    clearTimeout(this.#timer);
    this.#asked?.abort.abort();
    this.#asked = undefined;
  }

  #leave = () => {
    clearTimeout(this.#timer);
    this.#asked?.abort.abort();
    this.#asked = undefined;
    this.#link?.removeAttribute("aria-describedby");
    this.#link = undefined;
    if (this.matches(":popover-open")) this.hidePopover();
  };

  async #show(link, x, signal) {
    try {
      const preview = await this.#preview(link, signal);
      if (signal.aborted || !preview?.text) return;
      this.#leave();
      this.#link = link;
      this.lang = preview.language;
      this.dir = preview.direction;
      this.replaceChildren(...linesOf(preview));
      link.setAttribute("aria-describedby", this.id);
      this.showPopover();
      placeBeside(this, [...link.getClientRects()], getComputedStyle(link).direction === "rtl", x);
    } catch {
      // The note cannot be had: the link still says where it leads.
    }
  }

  async #preview(link, signal) {
    const address = new URL(link.href);
    const anchor = decoded(address.hash.slice(1));
    address.hash = "";
    const { href } = address;
    const { lang, dir } = document.documentElement;
    if (href === location.href.split("#")[0]) {
      const note = link.matches("[role=doc-noteref]") ? document.getElementById(anchor) : null;
      return note && footnotePreview(note, lang, dir);
    }
    if (!href.startsWith(thisSite.root.href) || !address.pathname.endsWith("/")) return null;
    const page = this.#pages.get(href) ?? (await fetchPage(href, signal));
    this.#pages.delete(href);
    this.#pages.set(href, page);
    if (this.#pages.size > KEPT) this.#pages.delete(this.#pages.keys().next().value);
    return pagePreview(page, anchor);
  }
}

async function fetchPage(address, signal) {
  const response = await fetch(address, { signal });
  const { ok, url, headers } = response;
  const small = Number(headers.get("Content-Length") ?? 0) <= LARGEST;
  if (!ok || !small || !url.startsWith(thisSite.root.href)) throw new Error("no page to preview");
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

function decoded(fragment) {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function linesOf({ title, path, text }) {
  const lines = [];
  if (path.length > 0) lines.push(line("p", path.join(" › "), "path"));
  if (title) lines.push(line("b", title));
  lines.push(line("p", text));
  return lines;
}

function line(name, text, className = "") {
  const element = document.createElement(name);
  element.textContent = text;
  if (className) element.className = className;
  return element;
}
