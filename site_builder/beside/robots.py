"""`robots.txt`: everything may be read; here is the sitemap."""

from __future__ import annotations

from site_builder.beside.addresses import full_url
from site_builder.beside.sitemap import SITEMAP_PATH
from site_builder.page_facts import SiteFile, SiteSettings

ROBOTS_PATH = "robots.txt"


def robots_file(site: SiteSettings) -> SiteFile:
    """The file for a site whose author wrote none.

    Crawlers look for it at the top of a host only; below a path it does no harm.
    """
    lines = ["User-agent: *", "Allow: /"]
    if site.url:
        lines += ["", f"Sitemap: {full_url(site, SITEMAP_PATH)}"]
    return SiteFile(ROBOTS_PATH, ("\n".join(lines) + "\n").encode())
