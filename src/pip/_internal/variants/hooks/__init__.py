"""Hooks that stock pip's code calls, one module per part of pip.

``fork/seams.py`` in the source repository names these functions; no list here repeats them.
"""
