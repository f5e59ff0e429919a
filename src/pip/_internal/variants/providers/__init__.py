"""Detect the supported properties of a machine (PEP 850), one file per source."""
