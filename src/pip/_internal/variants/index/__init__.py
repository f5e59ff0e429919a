"""Find and read manifests and wheels, on indexes and disks."""
