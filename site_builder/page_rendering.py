"""Pages from views: the theme's templates in an environment of their own."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import jinja2
from markupsafe import Markup

from site_builder.linking import relative_url
from site_builder.page_facts import SiteSettings
from site_builder.page_view import PageView
from site_builder.site_files import encoded_url

PAGE_TEMPLATE = "main.html"


class PageRenderer:
    """The templates of a theme's folder, for one site.

    A template finds the site as `site`, the page as `nb`, and writes every address below the site
    through the filter `url`, which makes it relative to the page.
    """

    def __init__(self, theme: Path, site: SiteSettings) -> None:
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(theme), autoescape=True, auto_reload=False
        )
        prepare(self._environment, site)

    def render(self, view: PageView, template: str = PAGE_TEMPLATE) -> bytes:
        """A page's bytes."""
        page = self._environment.get_template(template)
        return page.render(nb=view).encode("utf-8", "replace")


def prepare(environment: jinja2.Environment, site: SiteSettings) -> None:
    """Gives an environment what the theme's templates expect."""
    base = urlsplit(site.url).path or "/"

    @jinja2.pass_context
    def url(context: jinja2.runtime.Context, address: str) -> str:
        view: PageView = context["nb"]
        if urlsplit(address).scheme or address.startswith("//"):
            return address
        return base + encoded_url(address) if view.absolute else relative_url(view.url, address)

    environment.filters["url"] = url
    environment.globals["site"] = site


def html(text: str) -> Markup:
    """HTML that is safe by the way it was made, for a template."""
    return Markup(text)
