"""Turn a pinned release of pip into the fork, at build time.

This repository contains no files of upstream. ``engine`` reads them from an installed
distribution, verifies them, edits them, and adds the overlay (``src/pip``) and the vendored
libraries. The other modules configure the engine: ``pins`` names the releases, ``seams``
the edits, and ``project`` combines them with the calls to count.
"""
