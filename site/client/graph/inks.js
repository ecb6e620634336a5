/* The colours and fonts of the page as a canvas needs them: computed, for the theme of now. */

const COLOURS = {
  paper: "--paper",
  dot: "--edge",
  ink: "--ink",
  ink2: "--ink-2",
  ink3: "--ink-3",
  accent: "--accent",
  ring: "--tint-line",
};

/* Where the reader's system decides, its own colours. */
const FORCED = {
  paper: "Canvas",
  dot: "GrayText",
  ink: "CanvasText",
  ink2: "CanvasText",
  ink3: "CanvasText",
  accent: "Highlight",
  ring: "Highlight",
};

/**
 * @param {HTMLElement} host an element on the page, in its language
 * @returns {Record<"paper" | "dot" | "ink" | "ink2" | "ink3" | "accent" | "ring" | "sans" | "serif", string>}
 */
export function inksOf(host) {
  const probe = document.createElement("span");
  probe.hidden = true;
  host.append(probe);
  const found = {};
  for (const [name, token] of Object.entries(COLOURS)) {
    probe.style.color = `var(${token})`;
    found[name] = getComputedStyle(probe).color;
  }
  for (const name of ["sans", "serif"]) {
    probe.style.fontFamily = `var(--${name})`;
    found[name] = getComputedStyle(probe).fontFamily;
  }
  probe.remove();
  return matchMedia("(forced-colors: active)").matches ? { ...found, ...FORCED } : found;
}

/** Calls back when the colours of the page change. */
export function onInksChanged(changed, signal) {
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"]) {
    matchMedia(query).addEventListener("change", changed, { signal });
  }
  const watch = new MutationObserver(changed);
  watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  signal.addEventListener("abort", () => watch.disconnect(), { once: true });
}
