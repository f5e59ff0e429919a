"""Introduce a fault into each mechanism, and check that a test finds it."""
