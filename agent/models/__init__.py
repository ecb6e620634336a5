"""Adapters from `ModelRequest` to model events, one per provider, and the built-in extractive model."""
