/* The published knowledge of one site, as one page reads it: one manifest per page view, each object fetched once. */
import { isHash, manifestAddress, objectAddress } from "./addresses.js";
import { asReference, KnowledgeError, parsed, verifiedObject } from "./verification.js";

export class PublishedSite {
  #root;
  #fetch;
  #subtle;
  #waiting = new Map();
  #offline = false;

  /** @param {{root: URL, fetch: typeof globalThis.fetch, subtle?: SubtleCrypto}} given */
  constructor({ root, fetch, subtle }) {
    this.#root = root;
    this.#fetch = fetch;
    this.#subtle = subtle;
  }

  get root() {
    return this.#root;
  }

  /** Whether the host could not be reached for the manifest, and the one read before is in use. */
  get offline() {
    return this.#offline;
  }

  /** The manifest, revalidated with the host. @throws {KnowledgeError | DOMException} */
  manifest(signal) {
    return this.#once("manifest", signal, async () => {
      const manifest = parsed(await this.#manifestBytes(), "manifest");
      if (!isHash(manifest.revision)) throw new KnowledgeError("manifest: no revision");
      return manifest;
    });
  }

  /** The root of the manifest's revision. */
  async rootObject(signal) {
    const manifest = await this.manifest(signal);
    return this.object("root", manifest.root, signal);
  }

  /**
   * An object of that kind, verified. A host that answers something else is asked once more, past caches.
   * @throws {KnowledgeError | DOMException} the latter when `signal` ends the wait
   */
  async object(kind, reference, signal) {
    const wanted = asReference(reference);
    return this.#once(`${kind}/${wanted.sha256}`, signal, async () => {
      const address = objectAddress(this.#root, kind, wanted.sha256);
      try {
        return await verifiedObject(await this.#bytes(address, "force-cache"), wanted, kind, this.#subtle);
      } catch {
        return verifiedObject(await this.#bytes(address, "reload"), wanted, kind, this.#subtle);
      }
    });
  }

  /* Without a network what the browser keeps is better than nothing, and objects are verified all the same. */
  async #manifestBytes() {
    const address = manifestAddress(this.#root);
    try {
      return await this.#bytes(address, "no-cache");
    } catch (error) {
      if (error instanceof KnowledgeError) throw error;
      const kept = await this.#bytes(address, "force-cache");
      this.#offline = true;
      return kept;
    }
  }

  async #bytes(address, cache) {
    const response = await this.#fetch(address, { cache, credentials: "omit" });
    if (!response.ok) throw new KnowledgeError(`${address.pathname}: status ${response.status}`);
    return response.arrayBuffer();
  }

  /* Several elements may wait for the same file. One that leaves ends its own wait, not the others';
     a failure is forgotten, so that the next one tries again. */
  #once(key, signal, load) {
    if (!this.#waiting.has(key)) {
      const loading = load();
      this.#waiting.set(key, loading);
      loading.catch(() => this.#waiting.delete(key));
    }
    return whileWanted(this.#waiting.get(key), signal);
  }
}

function whileWanted(promise, signal) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
