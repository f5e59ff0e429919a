"""Wheel variants for pip: find, understand, order and choose them (PEP 825, PEP 850)."""
