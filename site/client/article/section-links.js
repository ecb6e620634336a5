import { copyText } from "../say/clipboard.js";
import { say } from "../say/say.js";

/**
 * A press on a heading's § copies the section's address as well as going there; headings that came
 * without a § get one. Words: data-section (with {title}), data-link-copied of the article.
 * @returns {() => void} takes all of it away
 */
export function addSectionLinks(article) {
  const { section, linkCopied } = article.dataset;
  const bare = article.querySelectorAll(":is(h2, h3, h4, h5, h6)[id]:not(:has(> .sec))");
  const added = [...bare].map((heading) => addLink(heading, section));
  const life = new AbortController();
  article.addEventListener(
    "click",
    async ({ target }) => {
      const link = target.closest("a.sec");
      if (link && (await copyText(link.href))) say(article, linkCopied, true);
    },
    { signal: life.signal },
  );
  return () => {
    life.abort();
    for (const link of added) link.remove();
  };
}

function addLink(heading, section) {
  const link = document.createElement("a");
  link.className = "sec";
  link.href = `#${encodeURIComponent(heading.id)}`;
  link.textContent = "§";
  link.setAttribute("aria-label", section.replace("{title}", () => heading.textContent));
  heading.prepend(link);
  return link;
}
