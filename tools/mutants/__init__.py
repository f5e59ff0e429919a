"""Plant a fault in each mechanism, and see which test finds it."""
