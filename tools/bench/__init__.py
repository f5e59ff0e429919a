"""Measure the fork beside untouched pip, uv and light-the-torch on one index."""
