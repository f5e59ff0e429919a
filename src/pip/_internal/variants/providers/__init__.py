"""Which properties a machine supports (PEP 850), with one file a source of answers."""
