"""What kind of thing a path names, by how it ends."""

from __future__ import annotations

from typing import Final

PICTURES: Final = frozenset(
    {"apng", "avif", "bmp", "gif", "ico", "jpeg", "jpg", "png", "svg", "webp"}
)
SOUNDS: Final = frozenset({"3gp", "aac", "flac", "m4a", "mp3", "ogg", "opus", "wav"})
FILMS: Final = frozenset({"m4v", "mkv", "mov", "mp4", "ogv", "webm"})
DOCUMENTS: Final = frozenset(
    {
        "canvas",
        "csv",
        "doc",
        "docx",
        "epub",
        "htm",
        "html",
        "json",
        "pdf",
        "ppt",
        "pptx",
        "txt",
        "xls",
        "xlsx",
        "zip",
    }
)
NOTES: Final = frozenset({"", "md", "markdown"})


def extension(path: str) -> str:
    """What follows the last point of a file's name, in lower case; empty if there is none."""
    stem, point, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if point and stem else ""


def names_a_file(address: str) -> bool:
    """Whether an address on the web names a sound, a film or a document and no picture."""
    path = address.partition("#")[0].partition("?")[0]
    return "/" in path and extension(path) in SOUNDS | FILMS | DOCUMENTS - {"htm", "html"}


def names_a_note(target: str, *, wiki: bool) -> bool:
    """Whether a link's target names a note and not a picture or other file.

    Between double brackets, a point in a name that ends in no known way belongs to a note's name:
    `[[v1.2]]`, `[[Node.js]]`.
    """
    ending = extension(target)
    if wiki:
        return ending not in PICTURES | SOUNDS | FILMS | DOCUMENTS
    return ending in NOTES
