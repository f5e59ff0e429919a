"""Plant differences in a copy of the pinned releases, and assemble the result."""

from __future__ import annotations

import dataclasses
import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fork.assembler import Assembly, Sources, assemble, overlay_files
from fork.distributions import read_release
from fork.kinds import Seam
from fork.pins import PINS
from fork.recorded import load
from fork.seams import SEAMS

__all__ = ["Tree"]


@dataclass(frozen=True, slots=True)
class Tree:
    """Hold copies of the pinned releases and of the overlay.

    :param folder: the pinned releases.
    :param overlay: what ``src`` is in the repository.
    :param released: differences pass for a release of their own.
    """

    folder: Path
    overlay: Path
    released: bool = False

    def dist_info(self, project: str = "pip") -> Path:
        """Return the metadata folder of a release."""
        (found,) = self.folder.glob(f"{project}-*.dist-info")
        return found

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace a text, which is there, in a file of a release."""
        file = self.folder / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, (path, old, text.count(old))
        self.write(path, text.replace(old, new))

    def append(self, path: str, text: str) -> None:
        """Append a text to a file of a release."""
        file = self.folder / path
        self.write(path, file.read_text(encoding="utf-8") + text)

    def write(self, path: str, text: str) -> None:
        """Write a file of a release, and its RECORD row if that is wanted."""
        data = text.encode()
        (self.folder / path).write_bytes(data)
        if not self.released:
            return
        digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        row = f"{path},sha256={digest},{len(data)}"
        record = next(
            file
            for file in self.folder.glob("*.dist-info/RECORD")
            if f"{path}," in file.read_text(encoding="utf-8")
        )
        rows = record.read_text(encoding="utf-8").splitlines()
        rows = [row if each.startswith(f"{path},") else each for each in rows]
        record.write_text("\n".join(rows) + "\n", encoding="utf-8")

    def sources(self) -> Sources:
        """Read everything as the build does."""
        upstream, *vendored = (read_release(pin, self.folder) for pin in PINS)
        return Sources(upstream, tuple(vendored), overlay_files(self.overlay))

    def assemble(self, seams: Sequence[Seam] = SEAMS) -> Assembly:
        """Assemble the fork from the copies, against the repository's records."""
        sources, recorded = self.sources(), load()
        if self.released:
            releases = (sources.upstream, *sources.vendored)
            digests = {release.pin.name: release.digest for release in releases}
            recorded = dataclasses.replace(recorded, digests=digests)
        return assemble(sources, recorded, seams)
