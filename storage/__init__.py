"""What the bridge keeps: stores over a backend, migrations, the object cache."""
