"""The wheel of the fork inside this package."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from pip_variants.errors import CarrierError

__all__ = ["OLDEST", "Bundled", "Fork", "carried"]

#: The oldest Python version that the fork supports.
OLDEST = (3, 10)


@dataclass(frozen=True)
class Fork:
    """A verified wheel of the fork, and an unpacked copy that can run.

    :ivar wheel: the wheel to install.
    :ivar code: the folder of the package, which runs faster than the wheel; without the
        metadata, so that Python does not see an installed pip.
    :ivar version: the output of ``pip --version``.
    """

    wheel: Path
    code: Path
    version: str


@dataclass(frozen=True)
class Bundled:
    """The wheel of the fork in this package, with its recorded version and digest.

    :ivar file: the wheel.
    :ivar version: the version of the fork.
    :ivar sha256: the digest that the build recorded.
    """

    file: Path
    version: str
    sha256: str

    def read(self) -> bytes:
        """Return the content of the wheel after verifying its digest.

        :raises CarrierError: if the wheel is missing or has another digest.
        """
        again = "Download pip-variants again, verify its sha256, and install it."
        try:
            content = self.file.read_bytes()
        except OSError as error:
            raise CarrierError(
                f"Cannot read the wheel of the fork: {error}.", again
            ) from None
        digest = hashlib.sha256(content).hexdigest()
        if digest != self.sha256:
            raise CarrierError(
                f"The wheel of the fork is damaged or was changed: '{self.file}' has "
                f"the sha256 {digest}; expected {self.sha256}.",
                again,
            )
        return content

    @contextmanager
    def ready(self) -> Iterator[Fork]:
        """Unpack the verified wheel into a temporary folder.

        :raises CarrierError: if the wheel is missing or has another digest.
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
    """Return the wheel inside this package, without verifying it.

    :raises CarrierError: if this is the source code, without a wheel.
    """
    try:
        # The build generates this module.
        generated = import_module("pip_variants._wheel")
    except ModuleNotFoundError:
        raise CarrierError(
            "The source code of pip-variants contains no wheel.",
            "Build pip-variants (see docs/install.md), and install the result.",
        ) from None
    file = Path(__file__).parent / "wheels" / generated.NAME
    return Bundled(file, generated.VERSION, generated.SHA256)
