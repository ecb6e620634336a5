import { copyText } from "../say/clipboard.js";
import { say } from "../say/say.js";

/**
 * A § in every heading that has an anchor: leads to the section and copies its address.
 * Words: data-section (with {title}), data-link-copied of the article.
 * @returns {() => void} takes them away
 */
export function addSectionLinks(article) {
  const { section, linkCopied } = article.dataset;
  const links = [...article.querySelectorAll(":is(h2, h3, h4, h5, h6)[id]")].map((heading) => {
    const link = document.createElement("a");
    link.className = "sec";
    link.href = `#${encodeURIComponent(heading.id)}`;
    link.textContent = "§";
    link.setAttribute("aria-label", section.replace("{title}", () => heading.textContent));
    link.addEventListener("click", async () => {
      if (await copyText(link.href)) say(link, linkCopied);
    });
    heading.append(link);
    return link;
  });
  return () => links.forEach((link) => link.remove());
}
