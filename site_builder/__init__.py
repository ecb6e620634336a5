"""Notes become a static site and knowledge objects; the MkDocs plugin; releases."""
