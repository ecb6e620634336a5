/* Code that most visits never need is fetched when the first one does. */

const AHEAD = "600px";

/**
 * Defines an element once one of its kind comes near the window; what is folded away never does.
 * @param {() => Promise<CustomElementConstructor>} load
 */
export function defineWhenNear(name, load) {
  const near = new IntersectionObserver(
    async (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      near.disconnect();
      await define(name, load);
    },
    { rootMargin: `${AHEAD} 0px` },
  );
  for (const element of document.querySelectorAll(name)) near.observe(element);
}

/** Defines an element at the first of these events on the document that `isMeant` holds for. */
export function defineWhenMeant(name, events, isMeant, load) {
  const life = new AbortController();
  const meant = (event) => {
    if (!isMeant(event)) return;
    life.abort();
    define(name, load);
  };
  for (const type of events) document.addEventListener(type, meant, { signal: life.signal, passive: true });
}

/* What cannot be fetched stays away: the page is whole without it. */
async function define(name, load) {
  try {
    const element = await load();
    if (!customElements.get(name)) customElements.define(name, element);
  } catch (error) {
    console.warn(`${name} could not be loaded`, error);
  }
}
