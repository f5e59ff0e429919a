"""Which build is taken: one run, its releases, and the choice among them."""
