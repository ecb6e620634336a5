/* <nb-revision>: the chip of the revision now published, filled in here so that a release rewrites no page.
   Its data attributes go on to <nb-hash>. Empty where there is no manifest. */
import { thisSite } from "../knowledge/this-site.js";

export class RevisionElement extends HTMLElement {
  #life;

  async connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    try {
      const { revision } = await thisSite.manifest(signal);
      this.replaceChildren(revisionChip(revision, this.dataset));
    } catch {
      if (!signal.aborted) this.replaceChildren();
    }
  }

  disconnectedCallback() {
    this.#life.abort();
  }
}

/** @param {DOMStringMap} words data-label, data-copy, data-copied, data-refused */
export function revisionChip(revision, { label, copy, copied, refused }) {
  const chip = document.createElement("nb-hash");
  Object.assign(chip.dataset, { sha256: revision, copy, copied, refused });
  if (label) chip.dataset.label = label;
  return chip;
}
