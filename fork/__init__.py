"""Turn a pinned release of pip into the fork, at build time.

Upstream's files are never part of this repository.  ``assemble`` takes them from an
installed distribution, verifies them, applies the edits of ``seams``, adds the overlay
(``src/pip``) and the vendored libraries.
"""
