"""The author's dialect of Markdown, from a source note to its page, its sections and its links."""

from site_builder.dialect.compiler import compile_note

__all__ = ["compile_note"]
