"""What a build under our theme is told, read once from MkDocs' configuration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pathspec
from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.config.defaults import MkDocsConfig

from manifest.canonical import sha256_hex
from manifest.manifest_file import Retention
from site_builder.collection import Languages
from site_builder.html_policy import RawHtmlPolicy
from site_builder.knowledge import SiteFacts
from site_builder.language_tags import language_tag, required_tag
from site_builder.page_facts import Script, SiteSettings
from site_builder.plugin_options import NoteBridgeOptions
from site_builder.source_folder import Excludes

HOST_FILES = frozenset(
    {"CNAME", "robots.txt", "favicon.ico", "favicon.svg", "_redirects", "ads.txt", "security.txt"}
)
"""Files at the top of a folder of notes that hosts and browsers look for."""

TEMPLATE_FOLDERS = frozenset({"templates", "template", "_templates", "模板"})
"""Top-level folders, compared in lower case, whose notes are patterns for notes."""


@dataclass(frozen=True, slots=True)
class SiteProject:
    """A project whose pages are ours.

    notes: the folder of notes. folder: where the site goes. excludes: which paths below the notes
    are left out. nav: as `mkdocs.yml` has it; None for none. legacy: whether the endpoints of
    older readers are written.
    """

    notes: Path
    folder: Path
    site: SiteSettings
    facts: SiteFacts
    languages: Languages
    html: RawHtmlPolicy
    excludes: Excludes
    nav: object = None
    legacy: bool = False


def site_project(config: MkDocsConfig, options: NoteBridgeOptions) -> SiteProject:
    """The project of a configuration.

    Raises `NoteBridgeError`: INVALID_ARGUMENT for options that make no sense.
    """
    facts = site_facts(config, options)
    url = config.site_url or ""
    return SiteProject(
        notes=Path(config.docs_dir).resolve(),
        folder=Path(config.site_dir).resolve(),
        site=SiteSettings(
            name=config.site_name,
            url=url if not url or url.endswith("/") else f"{url}/",
            description=config.site_description or "",
            language=facts.language,
            author=config.site_author or "",
            license=options.license,
            extra_css=tuple(map(str, config.extra_css)),
            extra_javascript=tuple(map(_script, config.extra_javascript)),
        ),
        facts=facts,
        languages=languages(facts, options),
        html=RawHtmlPolicy.of(options.raw_html),
        excludes=_excludes(config),
        nav=config.nav,
        legacy=options.legacy,
    )


def site_facts(config: MkDocsConfig, options: NoteBridgeOptions) -> SiteFacts:
    """What the manifest says of the site."""
    site_url = config.site_url or ""
    return SiteFacts(
        knowledge_base_id=options.knowledge_base_id
        or sha256_hex((site_url or config.site_name).encode("utf-8")),
        title=config.site_name,
        site_url=site_url,
        language=_language(config, options),
        retention=Retention(revisions=options.retention.revisions, days=options.retention.days),
        license_text=options.license,
    )


def languages(facts: SiteFacts, options: NoteBridgeOptions) -> Languages:
    """Which language a note is in that says nothing.

    Raises `NoteBridgeError`: INVALID_ARGUMENT for what is no language tag.
    """
    folders = {
        str(folder).strip("/"): required_tag(str(tag), f"languages: {folder}")
        for folder, tag in options.languages.items()
    }
    return Languages(facts.language, folders)


def _language(config: MkDocsConfig, options: NoteBridgeOptions) -> str:
    """The site's language. Material and others keep it in the theme's settings."""
    if options.language:
        return required_tag(options.language, "language")
    return language_tag(str(config.theme.get("language", "") or "")) or "en"


def _script(script: ExtraScriptValue | str) -> Script:
    if isinstance(script, str):
        return Script(script, "module" if script.endswith(".mjs") else "")
    return Script(script.path, script.type, bool(script.defer), bool(getattr(script, "async", 0)))


def _excludes(config: MkDocsConfig) -> Excludes:
    """MkDocs' own rule (what begins with a point), template folders, and the author's patterns."""
    patterns = [spec for spec in (config.exclude_docs, config.draft_docs) if spec is not None]
    if not patterns:
        return _is_hidden_or_template
    hidden = pathspec.gitignore.GitIgnoreSpec.from_lines([".*", "/templates/"])
    author = config.exclude_docs
    drafts = config.draft_docs
    exclude = hidden + author if author is not None else hidden

    def excluded(path: str) -> bool:
        # A later pattern may take a file in again, so no folder is left out as a whole.
        if path.endswith("/"):
            return False
        left_out = exclude.match_file(path) or (drafts is not None and drafts.match_file(path))
        return bool(left_out) or in_template_folder(path)

    return excluded


def _is_hidden_or_template(path: str) -> bool:
    name = path.rstrip("/").rpartition("/")[2]
    return name.startswith(".") or in_template_folder(path)


def in_template_folder(path: str) -> bool:
    """Whether a note is a pattern for notes."""
    folder, slash, _ = path.partition("/")
    return bool(slash) and folder.lower() in TEMPLATE_FOLDERS
