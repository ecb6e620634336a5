"""The options of the `note-bridge` plugin in `mkdocs.yml`."""

from __future__ import annotations

from mkdocs.config import base
from mkdocs.config import config_options as c


class RetentionOptions(base.Config):  # type: ignore[no-untyped-call]
    """How long objects of earlier revisions stay at the target."""

    revisions = c.Type(int, default=10)
    days = c.Type(int, default=30)


class NoteBridgeOptions(base.Config):  # type: ignore[no-untyped-call]
    """All options; none is required.

    theme: `note-bridge` for the project's own theme; empty leaves the theme of `mkdocs.yml`.
    renderer: `note-bridge` (default with our theme) or `mkdocs` (default with any other), which
        leaves every page as it is without the plugin.
    knowledge_base_id: a stable identity; derived from `site_url` or the site's name otherwise.
    language: of notes that do not say; languages maps folders to languages.
    license: of the content, shown with citations.
    raw_html: what is allowed of HTML in notes beyond the usual; see `html_policy.RawHtmlPolicy`.
    previous: address or folder of the site as it is published, for a build to go on from.
    legacy: whether the endpoints of older readers are written too.
    """

    theme = c.Choice(("", "note-bridge"), default="")
    renderer = c.Choice(("", "note-bridge", "mkdocs"), default="")
    knowledge_base_id = c.Type(str, default="")
    language = c.Type(str, default="")
    languages = c.Type(dict, default={})
    license = c.Type(str, default="")
    raw_html = c.Type(dict, default={})
    previous = c.Type(str, default="")
    legacy = c.Type(bool, default=False)
    retention = c.SubConfig(RetentionOptions)
