"""Check for a release of stock pip that is newer than the fork's base.

If there is one, report its effects on the fork (``tools/rebase.py``). The exit status is 0
without a newer release, 1 with a newer release, and 2 if the check fails.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable

from packaging.version import InvalidVersion, Version

from fork.version import UPSTREAM
from tools import rebase

__all__ = ["main", "newer"]


def newer(versions: Iterable[str], than: str) -> str | None:
    """Return the newest final release after *than*, or None.

    Post-releases count; versions that do not follow PEP 440 are ignored.
    """
    known = Version(than)
    found = [each for each in map(_parsed, versions) if each is not None]
    final = [each for each in found if not each.is_prerelease and each > known]
    return str(max(final)) if final else None


def _parsed(version: str) -> Version | None:
    try:
        return Version(version)
    except InvalidVersion:
        return None


def main() -> int:
    """Query the index, print the result, and return the exit status."""
    command = [sys.executable, "-m", "pip", "index", "versions", "--json", "pip"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(
            "error: pip cannot tell which releases there are; see its message above",
            file=sys.stderr,
        )
        return 2
    found = newer(json.loads(done.stdout)["versions"], UPSTREAM)
    if found is None:
        print(f"Upstream has no release after {UPSTREAM}.")
        return 0
    print(f"Upstream has released pip {found}; the fork is made from {UPSTREAM}.")
    print(f"What that changes for the fork (python tools/rebase.py {found}):\n")
    sys.stdout.flush()
    return 2 if rebase.main([found]) == 2 else 1


if __name__ == "__main__":
    sys.exit(main())
