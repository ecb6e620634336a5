"""What answers a `ModelRequest`: one adapter per provider, and the built-in extractive model."""
