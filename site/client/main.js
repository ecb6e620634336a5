/* The one place where elements get their names. What most visits never need is fetched when it is needed. */
import { ArticleElement } from "./article/article-element.js";
import { ContentsElement } from "./contents/contents-element.js";
import { DrawerElement } from "./drawer/drawer-element.js";
import { HashElement } from "./identity/hash-element.js";
import { RevisionElement } from "./identity/revision-element.js";
import { singleKey } from "./keys/single-keys.js";
import { NavElement } from "./navigation/nav-element.js";
import { defineWhenMeant, defineWhenNear } from "./on-demand.js";
import { SearchElement } from "./palette/search-element.js";
import { ToastElement } from "./say/toast-element.js";
import { ThemeElement } from "./theme/theme-element.js";

const elements = {
  "nb-theme": ThemeElement,
  "nb-drawer": DrawerElement,
  "nb-nav": NavElement,
  "nb-contents": ContentsElement,
  "nb-article": ArticleElement,
  "nb-hash": HashElement,
  "nb-revision": RevisionElement,
  "nb-search": SearchElement,
  "nb-toast": ToastElement,
};

for (const [name, element] of Object.entries(elements)) {
  if (!customElements.get(name)) customElements.define(name, element);
}

defineWhenNear("nb-release", async () => (await import("./identity/release-element.js")).ReleaseElement);
defineWhenNear("nb-backlinks", async () => (await import("./backlinks/backlinks-element.js")).BacklinksElement);
defineWhenNear("nb-lost", async () => (await import("./lost/lost-element.js")).LostElement);
defineWhenNear("nb-related", async () => (await import("./related/related-element.js")).RelatedElement);
defineWhenMeant(
  "nb-keys",
  ["keydown", "click"],
  (event) => (event.type === "click" ? Boolean(event.target.closest?.("[data-opens-keys]")) : singleKey(event) === "?"),
  async () => (await import("./keys/keys-element.js")).KeysElement,
  true,
);
defineWhenMeant(
  "nb-preview",
  ["pointerover", "focusin"],
  ({ type, target, pointerType }) =>
    (type === "focusin" ? target.matches(":focus-visible") : pointerType !== "touch") &&
    Boolean(target.closest?.(".prose a, .refs a")),
  async () => (await import("./preview/preview-element.js")).PreviewElement,
);
defineWhenMeant(
  "nb-quotation",
  ["selectionchange"],
  () => !(getSelection()?.isCollapsed ?? true),
  async () => (await import("./quotation/quotation-element.js")).QuotationElement,
);
defineWhenNear("nb-graph", async () => (await import("./graph/graph-element.js")).GraphElement);
defineWhenNear("nb-clusters", async () => (await import("./clusters/clusters-element.js")).ClustersElement);
