/* Code and styles that most visits never need are fetched when the first one does. */

const AHEAD = "600px";

const sheets = new Map();

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

/**
 * Defines an element at the first of these events on the document that `isMeant` holds for.
 * @param {boolean} [again] the element, once it is there, shall hear that event too
 */
export function defineWhenMeant(name, events, isMeant, load, again = false) {
  const life = new AbortController();
  const meant = async (event) => {
    if (!isMeant(event)) return;
    life.abort();
    await define(name, load);
    if (again) event.target.dispatchEvent(new event.constructor(event.type, event));
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

/** Adds a stylesheet to the page, once. @returns {Promise<void>} when it holds, or cannot be had */
export function sheet(address) {
  if (!sheets.has(address)) sheets.set(address, added(address));
  return sheets.get(address);
}

function added(address) {
  return new Promise((resolve) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: address, onload: resolve, onerror: resolve });
    document.head.append(link);
  });
}
