"""A pure model of wheel variants (PEP 825 and PEP 850)."""
