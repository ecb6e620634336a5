"""A published site, read by revision: transport, cache, verification, search, the six tools."""
