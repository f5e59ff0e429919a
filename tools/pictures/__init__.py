"""Draw the pictures in the docs from data: ``python -m tools.pictures``."""
