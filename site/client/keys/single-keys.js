/* Keys that act alone, without Ctrl or ⌘. They can be switched off, for those who speak to their computer
   or type with a switch (WCAG 2.1.4). */

export const STORAGE_KEY = "nb-single-keys";

const WRITES = "input, textarea, select, [contenteditable]:not([contenteditable='false'])";

/** Whether keys that act alone do so. */
export function singleKeysAreOn() {
  try {
    return localStorage.getItem(STORAGE_KEY) !== "off";
  } catch {
    return true; // Storage is refused: they are on, as they are for whoever never chose.
  }
}

/** @returns {boolean} false where the browser does not keep the choice */
export function switchSingleKeys(on) {
  try {
    if (on) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, "off");
    return true;
  } catch {
    return false;
  }
}

/**
 * The key that was pressed alone; Shift may be needed to reach it.
 * @param {KeyboardEvent} event
 * @returns {string} empty where it writes, belongs to something else, or keys are switched off
 */
export function singleKey(event) {
  const { key, target, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event;
  if (defaultPrevented || ctrlKey || metaKey || altKey || isComposing || key.length !== 1) return "";
  if (target instanceof Element && target.closest(WRITES)) return "";
  return singleKeysAreOn() ? key : "";
}
