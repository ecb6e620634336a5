/* Styles of what few visits show come with its code. */

const coming = new Map();

/** Adds a stylesheet to the page, once. @param {string} address  @returns {Promise<void>} when it holds, or cannot be had */
export function sheet(address) {
  if (!coming.has(address)) {
    coming.set(
      address,
      new Promise((resolve) => {
        const link = document.createElement("link");
        Object.assign(link, { rel: "stylesheet", href: address, onload: resolve, onerror: resolve });
        document.head.append(link);
      }),
    );
  }
  return coming.get(address);
}
