"""Hatchling build hook that adds the assembled files to the wheel."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Hatchling runs a build hook from its file, without the project on sys.path.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


class ForkBuildHook(BuildHookInterface[Any]):
    """A build hook that stages the assembled fork, and lists licenses in the metadata."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Assemble the fork.

        :raises SystemExit: if the fork cannot be assembled; build frontends then show the
            message instead of a traceback.
        """
        from fork.engine.assembler import assemble_project
        from fork.engine.errors import ForkError
        from fork.engine.output import write
        from fork.project import PROJECT

        if version == "editable":
            raise SystemExit(
                "error: the fork cannot be installed in editable mode: most of its "
                "files exist only once it is assembled. Run: python -m pip install . "
                "(to work on it: python -m fork assemble)"
            )
        try:
            assembly = assemble_project(PROJECT)
        except ForkError as error:
            raise SystemExit(f"error: {error}") from None
        self._staging = TemporaryDirectory(prefix="pip-fork-")
        self._licenses = assembly.licenses
        write(assembly, Path(self._staging.name), link=False)
        build_data["force_include"][str(Path(self._staging.name, "pip"))] = "pip"

    def finalize(
        self,
        version: str,  # noqa: ARG002
        build_data: dict[str, Any],  # noqa: ARG002
        artifact_path: str,
    ) -> None:
        """Add the license files to the wheel."""
        from fork.engine.wheel import add_licenses

        add_licenses(Path(artifact_path), self._licenses)
        self._staging.cleanup()
