/* One sprite holds every icon; templates and client draw from it alike. */
const SVG = "http://www.w3.org/2000/svg";

/** @param {string} name a symbol of the sprite  @param {string} sprite its address */
export function icon(name, sprite) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${sprite}#${name}`);
  svg.append(use);
  return svg;
}
