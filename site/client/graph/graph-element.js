/* <nb-graph data-scope="site|local">: links as a picture, with its twin in words. What draws it is fetched for the
   scope that is asked for. data-state: loading, listed (the words stand), ready (the picture too), failed. */

const SCOPES = {
  site: () => import("./site-graph.js"),
  local: () => import("./local-graph.js"),
};

export class GraphElement extends HTMLElement {
  #life;

  async connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    this.dataset.state = "loading";
    this.#dress();
    try {
      const { draw } = await SCOPES[this.dataset.scope]();
      signal.throwIfAborted();
      await draw(this, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.dataset.state = "failed";
      console.warn("The graph could not be read", error);
    }
  }

  disconnectedCallback() {
    this.#life.abort();
  }

  /* data-sheet: styles that a page without a graph in sight does without. */
  #dress() {
    const { sheet } = this.dataset;
    if (!sheet || document.querySelector(`link[href="${CSS.escape(sheet)}"]`)) return;
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: sheet });
    document.head.append(link);
  }
}
