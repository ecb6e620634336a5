/* The index of the site this page belongs to, loaded by whoever asks first. */
import { IndexedNotes } from "./indexed-notes.js";
import { thisSite } from "./this-site.js";

let loading;

/** @returns {Promise<IndexedNotes>} a failure is forgotten, so that the next one tries again */
export function thisIndex() {
  loading ??= IndexedNotes.load(thisSite).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
