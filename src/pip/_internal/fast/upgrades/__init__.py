"""Prepare every new package before the first old one is removed."""
