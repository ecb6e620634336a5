/* Asks the worker for a layout; small pictures, and browsers without workers, do it at once. */
import { arrange } from "./layout.js";

const SMALL = 150;

/**
 * @param {Parameters<typeof arrange>[0]} given
 * @param {AbortSignal} signal
 * @returns {Promise<import("./layout.js").Arrangement>}
 */
export async function arranged(given, signal) {
  if (given.group.length <= SMALL) return arrange(given);
  let worker;
  try {
    worker = new Worker(new URL("./layout-worker.js", import.meta.url), { type: "module" });
    return await answerOf(worker, given, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return arrange(given);
  } finally {
    worker?.terminate();
  }
}

function answerOf(worker, given, signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    worker.addEventListener("message", ({ data }) => resolve(data), { once: true });
    worker.addEventListener("error", reject, { once: true });
    worker.postMessage(given);
  });
}
