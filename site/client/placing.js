/* Where a card stands: under the line of text it belongs to, above it where there is no room, always whole in the
   window when it comes; then it moves with the page. */

const GAP = 8;
const EDGE = 12;

/**
 * @param {HTMLElement} card shown, absolute in the page
 * @param {DOMRect[]} lines of the text it belongs to  @param {boolean} rtl
 * @param {number} [x] where the pointer is, which tells the line of a link that is broken over two
 */
export function placeBeside(card, lines, rtl, x) {
  const line = lines.find(({ left, right }) => x !== undefined && x >= left && x <= right) ?? lines.at(-1);
  if (!line) return;
  const { width, height } = card.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const wanted = rtl ? line.right - width : line.left;
  const left = Math.max(EDGE, Math.min(wanted, clientWidth - width - EDGE));
  const below = line.bottom + GAP;
  const fits = below + height <= clientHeight - EDGE || line.top < height + GAP + EDGE;
  card.style.left = `${Math.round(left + scrollX)}px`;
  card.style.top = `${Math.round((fits ? below : line.top - GAP - height) + scrollY)}px`;
}
