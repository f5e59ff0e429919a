"""Turn a pinned release of pip into the fork, at build time.

Upstream's files are never part of this repository.  ``engine`` takes them from an
installed distribution, verifies them, edits them, and adds the overlay (``src/pip``) and
the vendored libraries.  The other modules say what it is to do: ``pins`` name the
releases, ``seams`` the edits, and ``project`` puts them together with the calls that are
counted.
"""
