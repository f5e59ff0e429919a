"""What upstream calls, a module for each part of it that calls.

``fork/seams.py`` in the source repository names these functions; no list here repeats them.
"""
