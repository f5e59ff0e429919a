"""Find, explain, rank and select wheel variants (PEP 825, PEP 850)."""
