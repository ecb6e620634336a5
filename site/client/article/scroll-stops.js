/**
 * Boxes that scroll sideways can be reached with the keyboard.
 * @returns {() => void} takes that away
 */
export function addScrollStops(article) {
  const stops = [...article.querySelectorAll("pre, .scroll")].filter((box) => !box.hasAttribute("tabindex"));
  for (const box of stops) box.tabIndex = 0;
  return () => stops.forEach((box) => box.removeAttribute("tabindex"));
}
