"""The version of the fork, in one place."""

from __future__ import annotations

#: Release of pip that the fork is made from.
UPSTREAM = "26.3"
#: Release of the fork itself.
FORK = "0.1.0"
#: Version of the distribution: PEP 440, the fork's release as the local version.
VERSION = f"{UPSTREAM}+variants.{FORK}"
