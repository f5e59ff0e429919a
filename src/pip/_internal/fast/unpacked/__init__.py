"""Wheels that lie unpacked and compiled in pip's cache, for the next environment.

Only with ``--use-feature unpacked-cache``. An entry (``entries``) is what upstream has
installed of one wheel for one kind of interpreter, found by the sha256 of the wheel
(``folder``). What upstream rewrites when it installs is not unpacked: it lies in a small
wheel beside the files, which upstream installs in its own way when all else has been
linked, cloned or copied to its place (``placing``, ``using``). ``made`` makes entries and
``command`` shows them.
"""
