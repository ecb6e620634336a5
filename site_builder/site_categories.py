"""Where the categories of a site come from: the navigation, else SUMMARY.md, else folders."""

from __future__ import annotations

from site_builder.categories import CategoryTree, folder_tree, summary_tree
from site_builder.collection import Collection, Entry
from site_builder.documents import folder_names
from site_builder.navigation import navigation_tree
from site_builder.note_store import NoteStore

SUMMARY_PATH = "SUMMARY.md"


def site_categories(
    nav: object, title: str, collection: Collection, store: NoteStore
) -> CategoryTree:
    """The category tree. nav: nested lists as `nav:` has them; None for none."""
    entries = collection.documents()
    ids = [entry.doc_id for entry in entries]
    if nav:
        return navigation_tree(nav, title, lambda path: _known(collection.entries.get(path)), ids)
    summary = collection.entries.get(SUMMARY_PATH)
    if summary is not None and summary.card.knowledge:

        def linked(target: str) -> str | None:
            found = collection.index.by_path(target.partition("#")[0], SUMMARY_PATH)
            return _known(collection.by_id.get(found.note.doc_id)) if found.note else None

        return summary_tree(title, store.body(summary.key).text, linked, ids)
    return folder_tree(
        title,
        {entry.doc_id: folder_names(entry.card.path) for entry in entries},
        {entry.doc_id: entry.url for entry in entries},
    )


def _known(entry: Entry | None) -> str | None:
    return entry.doc_id if entry is not None and entry.card.knowledge else None
