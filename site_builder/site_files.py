"""How addresses are written; see `site_builder.beside.addresses`."""

from site_builder.beside.addresses import encoded_url

__all__ = ["encoded_url"]
