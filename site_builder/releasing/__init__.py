"""Built sites go live: to a folder, a bucket, or a folder that a host deploys whole."""
