"""Which properties a machine supports (PEP 850): one file a source of answers."""
