"""Pages that list notes: by tag, by category, by date. Pure functions from facts to pages."""
