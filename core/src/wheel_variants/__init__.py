"""Wheel variants (PEP 825 and PEP 850): a pure model."""
