"""Finding and reading manifests and wheels, on indexes and disks."""
