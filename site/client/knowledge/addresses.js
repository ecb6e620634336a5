/* Where published things are. No address is ever read from data: objects are found by kind and hash,
   pages by segments that are encoded one by one and must stay below the site's root. */

const HASH = /^[0-9a-f]{64}$/;
const KIND = /^[a-z]+$/;

/** Whether `value` is a full, lower-case SHA-256. */
export function isHash(value) {
  return typeof value === "string" && HASH.test(value);
}

/** @param {URL} root the site's root, ending in a slash */
export function manifestAddress(root) {
  return new URL("ai/manifest.json", root);
}

/** @throws {TypeError} for a kind or hash that cannot be one */
export function objectAddress(root, kind, sha256) {
  if (!KIND.test(kind) || !isHash(sha256)) throw new TypeError("Not an object's kind and hash");
  return new URL(`ai/objects/${kind}/${sha256}.json`, root);
}

/**
 * The address of a page from its published, unencoded URL relative to the root.
 * @returns {string | null} null for what would lead out of the site
 */
export function pageAddress(root, url) {
  const path = url.split("/").map(encodeURIComponent).join("/");
  const address = new URL(path === "" ? "." : path, root).href;
  return address.startsWith(root.href) ? address : null;
}
