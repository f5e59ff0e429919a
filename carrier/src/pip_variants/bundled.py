"""The wheel of the fork that the package carries."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from pip_variants.errors import CarrierError

if TYPE_CHECKING:
    from importlib.abc import Traversable

__all__ = ["OLDEST", "Bundled", "Fork", "carried"]

#: The oldest Python that the fork runs with.
OLDEST = (3, 10)


@dataclass(frozen=True)
class Fork:
    """A wheel of the fork that was verified and can be run.

    :ivar wheel: to be installed
    :ivar code: a folder with its package, and without its metadata, so that it is not
        taken for a pip that is installed; faster than the wheel
    :ivar version: as pip tells it
    """

    wheel: Path
    code: Path
    version: str


@dataclass(frozen=True)
class Bundled:
    """A wheel of the fork, and what it must be.

    :ivar file: the wheel; in a package that is run from a zip file it is no file
    :ivar version: of the fork, as pip tells it
    :ivar sha256: the digest that the build wrote down
    """

    file: Traversable
    version: str
    sha256: str

    @property
    def path(self) -> Path:
        """Return where the wheel lies.

        :raises CarrierError: it is inside of another file
        """
        if isinstance(self.file, Path):
            return self.file
        raise CarrierError(
            "The wheel is inside of another file.",
            "Install pip_variants, in place of running it from a zip file.",
        )

    def read(self) -> bytes:
        """Return the content of the wheel.

        :raises CarrierError: it is not what the build wrote down
        """
        again = (
            "Get the file of pip_variants again, compare its sha256 and install that."
        )
        try:
            content = self.file.read_bytes()
        except OSError as error:
            raise CarrierError(
                f"The wheel of the fork cannot be read: {error}.", again
            ) from None
        digest = hashlib.sha256(content).hexdigest()
        if digest != self.sha256:
            raise CarrierError(
                f"The wheel of the fork is damaged or was changed: {self.file} has the "
                f"sha256 {digest}, and {self.sha256} was carried.",
                again,
            )
        return content

    @contextmanager
    def ready(self) -> Iterator[Fork]:
        """Let the wheel and its code, verified, lie in a folder for a while.

        :raises CarrierError: it is not what the build wrote down
        """
        content = self.read()
        with tempfile.TemporaryDirectory(prefix="pip-variants-") as folder:
            wheel = Path(folder, "wheel", self.file.name)
            wheel.parent.mkdir()
            wheel.write_bytes(content)
            code = Path(folder, "code")
            with zipfile.ZipFile(wheel) as archive:
                names = [n for n in archive.namelist() if n.startswith("pip/")]
                archive.extractall(code, names)
            yield Fork(wheel, code, self.version)


def carried() -> Bundled:
    """Return the wheel that this distribution carries, which nobody has looked at yet.

    :raises CarrierError: this is the source, without a wheel
    """
    try:
        # The build writes it.
        generated = import_module("pip_variants._wheel")
    except ModuleNotFoundError:
        raise CarrierError(
            "This is the source of pip_variants, and carries no wheel.",
            "Build it (docs/carrier.md) and install what was built.",
        ) from None
    file = files("pip_variants") / "wheels" / generated.NAME
    return Bundled(file, generated.VERSION, generated.SHA256)
