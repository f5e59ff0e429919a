"""Select builds: a run, its releases, and the decisions."""
