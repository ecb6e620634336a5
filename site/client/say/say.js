/* How elements tell the reader something in passing: an event that <nb-toast> hears. */

export const SAY = "nb-say";

/** @param {Element} from  @param {string} text one line */
export function say(from, text) {
  from.dispatchEvent(new CustomEvent(SAY, { bubbles: true, composed: true, detail: { text } }));
}
