/** Brings an element into view by scrolling the box it stands in, never the page. */
export function showInBox(element, box) {
  const place = element.getBoundingClientRect();
  const frame = box.getBoundingClientRect();
  if (place.top < frame.top || place.bottom > frame.bottom) box.scrollTop += place.top - frame.top - frame.height / 3;
}
