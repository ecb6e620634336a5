"""Search as it is published: segments, the delta over them, and what groups documents."""
