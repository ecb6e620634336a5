/* Where the reader is: the last heading that has passed the reading line. */

/** The part of the window, from its top, within which a heading counts as reached. */
export const READING_LINE = 0.3;

/**
 * @param {string[]} anchors in the order of the page
 * @param {ReadonlySet<string>} passed those at or above the reading line
 * @returns {string | undefined} the first anchor while none has been passed
 */
export function currentAnchor(anchors, passed) {
  return anchors.findLast((anchor) => passed.has(anchor)) ?? anchors[0];
}
