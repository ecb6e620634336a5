/* The site this page belongs to. Its root is known from where this module lies: assets/client/knowledge/. */
import { PublishedSite } from "./published-site.js";

export const thisSite = new PublishedSite({
  root: new URL("../../../", import.meta.url),
  fetch: (...request) => fetch(...request),
  subtle: globalThis.crypto?.subtle,
});
