"""What stands beside the pages: twins, sitemap, feeds, redirects and more, as pure functions."""
