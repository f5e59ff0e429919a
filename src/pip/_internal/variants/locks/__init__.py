"""Lock files (PEP 751) with variants: all builds of a release in one file."""
