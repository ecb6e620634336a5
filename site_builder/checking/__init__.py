"""What `check` looks for beyond a build: orphans, notes of one title, notes that say the same."""
