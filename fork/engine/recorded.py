"""What was reviewed: digests, fingerprints and census of the pinned releases.

``python -m fork record`` alone rewrites the values.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from fork.engine.census import Census
from fork.engine.errors import ForkError

__all__ = ["Recorded", "load", "save"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """Hold the recorded values.

    :param digests: release digest by project name.
    :param fingerprints: fingerprint by file and target.
    :param census: sensitive calls by file, function and callee.
    """

    digests: dict[str, str]
    fingerprints: dict[str, dict[str, str]]
    census: Census


def load(path: Path) -> Recorded:
    """Read the recorded values.

    :raises ForkError: the file is absent or not of this form.
    """
    try:
        return Recorded(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise ForkError(
            f"the recorded values cannot be read ({error}). Restore the file from the "
            f"repository, or type: python -m fork record. File: {path.name!r}"
        ) from error


def save(recorded: Recorded, path: Path) -> None:
    """Write the recorded values."""
    text = json.dumps(asdict(recorded), indent=1, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")
