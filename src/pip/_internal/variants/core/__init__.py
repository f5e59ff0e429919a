"""Variants as the PEPs define them: pure, with nothing of pip in it."""
