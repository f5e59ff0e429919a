"""Hooks that stock pip's code calls, one module per part of pip.

``fork/seams.py`` in the source repository lists these functions.
"""
