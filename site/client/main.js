/* The one place where elements get their names. */
import { ArticleElement } from "./article/article-element.js";
import { ContentsElement } from "./contents/contents-element.js";
import { DrawerElement } from "./drawer/drawer-element.js";
import { HashElement } from "./identity/hash-element.js";
import { ReleaseElement } from "./identity/release-element.js";
import { RevisionElement } from "./identity/revision-element.js";
import { NavElement } from "./navigation/nav-element.js";
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
  "nb-release": ReleaseElement,
  "nb-toast": ToastElement,
};

for (const [name, element] of Object.entries(elements)) {
  if (!customElements.get(name)) customElements.define(name, element);
}
