/* How elements tell the reader something in passing: an event that <nb-toast> hears. */

export const SAY = "nb-say";

/** @param {Element} from  @param {string} text one line  @param {boolean} done what was asked for has happened */
export function say(from, text, done) {
  from.dispatchEvent(new CustomEvent(SAY, { bubbles: true, composed: true, detail: { text, done } }));
}
