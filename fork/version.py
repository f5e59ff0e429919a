"""The version of the fork, in one place."""

from __future__ import annotations

#: The release of pip that the fork is based on.
UPSTREAM = "26.3"
#: The release of the fork itself.
FORK = "0.1.0"
#: The version of the distribution (PEP 440), with the fork's release as the local version.
VERSION = f"{UPSTREAM}+variants.{FORK}"
