"""Pages from views: the theme's templates in an environment of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import jinja2
from markupsafe import Markup

from site_builder.beside.addresses import encoded_url
from site_builder.linking import relative_url
from site_builder.page_facts import SiteSettings
from site_builder.page_view import PageView

PAGE_TEMPLATE = "main.html"


class PageRenderer:
    """The templates of a theme's folder, for one site.

    A template finds the site as `site`, the page as `nb`, and writes every address below the site
    through the filter `url`, which makes it relative to the page.
    """

    def __init__(self, theme: Path, site: SiteSettings) -> None:
        self.site = site
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(theme), autoescape=True, auto_reload=False
        )
        self._environment.filters["url"] = _address
        self._environment.globals["frame"] = self._frame
        self._frames: dict[tuple[object, ...], Markup] = {}

    def render(self, view: PageView, template: str = PAGE_TEMPLATE) -> bytes:
        """A page's bytes."""
        page = self._environment.get_template(template)
        return page.render(nb=view, site=self.site).encode("utf-8", "replace")

    @jinja2.pass_context
    def _frame(self, context: jinja2.runtime.Context, name: str) -> Markup:
        """A partial that is the same on all pages of one language at one depth, written once for
        all of them: what every page has costs most of what rendering it takes."""
        view: PageView = context["nb"]
        key = (name, self.site, view.language, view.absolute, view.url.count("/"))
        found = self._frames.get(key)
        if found is None:
            partial = self._environment.get_template(name)
            flat = replace(view, url="-/" * view.url.count("/"))
            found = Markup(partial.render({**context.get_all(), "nb": flat}))
            self._frames[key] = found
        return found


@jinja2.pass_context
def _address(context: jinja2.runtime.Context, address: str) -> str:
    """How the page at hand writes an address below the site; addresses elsewhere as they are."""
    view: PageView = context["nb"]
    if (":" in address and urlsplit(address).scheme) or address.startswith("//"):
        return address
    if not view.absolute:
        return relative_url(view.url, address)
    site: SiteSettings = context["site"]
    return (urlsplit(site.url).path or "/") + encoded_url(address)


def html(text: str) -> Markup:
    """HTML that is safe by the way it was made, for a template."""
    return Markup(text)
