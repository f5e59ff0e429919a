"""Hatchling build hook: put the wheel of the fork into the package, with its digest."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "PIP_VARIANTS_WHEEL"
#: Where a wheel of the fork is looked for, seen from this folder.
FOLDERS = ("../build/fork-wheel", "../dist")
NAME = re.compile(
    r"pip-(?P<version>[^-]+\+variants\.(?P<fork>[^-]+))-py3-none-any\.whl"
)
PACKAGE = "src/pip_variants"

HOW_TO = (
    "In the root of the project, type: python -m pip wheel --no-deps "
    "-w build/fork-wheel . and build this again, or set the variable "
    f"{VARIABLE} to the path of the wheel."
)

GENERATED = '''\
"""The wheel of the fork that this distribution carries. Written by the build."""

from __future__ import annotations

NAME = "{name}"
VERSION = "{version}"
SHA256 = "{sha256}"
'''


class CarrierBuildHook(BuildHookInterface[Any]):
    """Add the wheel, unchanged, and the module that says which one it is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Find the wheel and see to it that it is of this version.

        :raises SystemExit: it is not there, or is another one; build frontends then end
            with the message instead of a traceback.
        """
        if version == "editable":
            raise SystemExit(
                "error: the carrier cannot be installed in editable mode: the wheel that "
                "it carries would not be in it. Type: python -m pip install ."
            )
        root = Path(self.root)
        if (root / "PKG-INFO").is_file():
            # An sdist has both files already, in the package.
            carried = _carried(root / PACKAGE)
            if self.target_name == "wheel":
                self._include(build_data, carried, root / PACKAGE / "_wheel.py")
            return
        wheel = _found(root)
        match = NAME.fullmatch(wheel.name)
        if match is None:
            raise SystemExit(f"error: {wheel} is not a wheel of the fork. {HOW_TO}")
        if match["fork"] != self.metadata.version:
            raise SystemExit(
                f"error: {wheel} is of release {match['fork']} of the fork, and this is "
                f"the carrier of {self.metadata.version}. {HOW_TO}"
            )
        self._folder = TemporaryDirectory(prefix="pip-variants-")
        generated = Path(self._folder.name, "_wheel.py")
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        text = GENERATED.format(
            name=wheel.name, version=match["version"], sha256=digest
        )
        generated.write_text(text, encoding="utf-8", newline="\n")
        self._include(build_data, wheel, generated)

    def _include(
        self, build_data: dict[str, Any], wheel: Path, generated: Path
    ) -> None:
        # In the sdist they lie where an sdist of this project looks for them.
        package = PACKAGE if self.target_name == "sdist" else Path(PACKAGE).name
        included = build_data["force_include"]
        included[str(wheel)] = f"{package}/wheels/{wheel.name}"
        included[str(generated)] = f"{package}/_wheel.py"

    def finalize(
        self,
        version: str,  # noqa: ARG002
        build_data: dict[str, Any],  # noqa: ARG002
        artifact_path: str,  # noqa: ARG002
    ) -> None:
        """Delete what was written for the build."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def _found(root: Path) -> Path:
    """Return the wheel of the fork.

    :raises SystemExit: there is none, or more than one
    """
    given = os.environ.get(VARIABLE)
    if given:
        wheel = Path(given).absolute()
        if not wheel.is_file():
            raise SystemExit(
                f"error: there is no file {wheel}, which {VARIABLE} names. {HOW_TO}"
            )
        return wheel
    wheels = [
        each
        for folder in FOLDERS
        for each in sorted((root / folder).resolve().glob("pip-*.whl"))
    ]
    if len(wheels) == 1:
        return wheels[0]
    if wheels:
        names = ", ".join(map(str, wheels))
        raise SystemExit(
            f"error: there is more than one wheel of pip: {names}. {HOW_TO}"
        )
    raise SystemExit(f"error: there is no wheel of the fork to carry. {HOW_TO}")


def _carried(package: Path) -> Path:
    """Return the wheel that an sdist has inside.

    :raises SystemExit: the wheel in it is missing or damaged
    """
    generated = (package / "_wheel.py").read_text(encoding="utf-8")
    stated = re.search(r'^SHA256 = "(\w+)"$', generated, re.MULTILINE)
    wheels = sorted((package / "wheels").glob("*.whl"))
    digests = [hashlib.sha256(each.read_bytes()).hexdigest() for each in wheels]
    if stated is None or digests != [stated[1]]:
        raise SystemExit(
            "error: the wheel of the fork in this sdist is not the one that it was made "
            "with. Get the sdist again, and compare its sha256."
        )
    return wheels[0]
