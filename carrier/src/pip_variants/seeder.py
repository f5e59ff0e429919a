"""A seeder for virtualenv that installs the fork instead of the bundled pip.

virtualenv always loads this module, so nothing in it may fail before virtualenv uses the
seeder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from virtualenv.seed.embed.via_app_data.via_app_data import FromAppData
from virtualenv.seed.wheels.util import Version

from pip_variants.bundled import OLDEST, carried
from pip_variants.errors import CarrierError

if TYPE_CHECKING:
    from virtualenv.config.cli.parser import VirtualEnvOptions
    from virtualenv.create.creator import Creator
    from virtualenv.seed.embed.via_app_data.pip_install.base import PipInstall

__all__ = ["VariantsSeeder"]


class VariantsSeeder(FromAppData):
    """A seeder that installs the fork, and the other packages of the default seeder.

    The pip versions ``bundle`` and ``embed`` select the fork. Any other version is
    installed by virtualenv's default seeder.

    :raises RuntimeError: if the wheel of the fork is damaged, or the environment's Python
        is too old; virtualenv stops with this message before it creates anything.
    """

    def __init__(self, options: VirtualEnvOptions) -> None:
        super().__init__(options)
        self._digest: str | None = None
        if not self.enabled or self.no_pip or self.pip_version == "none":
            return
        try:
            bundled = carried()
            if self.pip_version in Version.non_version:
                self.pip_version = bundled.version
            if self.pip_version != bundled.version:
                return
            # Older releases of virtualenv do not provide py_version here.
            _refuse_if_old(getattr(options, "py_version", OLDEST))
            bundled.read()
            folder = bundled.file.parent
        except CarrierError as error:
            raise RuntimeError(str(error)) from None
        self._digest = bundled.sha256
        self.extra_search_dir.insert(0, folder)
        # A periodic update would download a newer stock pip, which virtualenv would never
        # use.
        self.periodic_update = False

    def run(self, creator: Creator) -> None:
        """Install the packages.

        :raises RuntimeError: if the environment's Python is too old for the fork.
        """
        if self._digest is not None:
            try:
                version = creator.interpreter.version_info
                _refuse_if_old((version.major, version.minor))
            except CarrierError as error:
                raise RuntimeError(str(error)) from None
        super().run(creator)

    def installer_class(
        self, pip_version_tuple: tuple[int, ...] | None
    ) -> type[PipInstall]:
        """Return the installer class, with the digest of the wheel in its name.

        virtualenv caches unpacked wheels by the names of the class and the wheel. Two
        builds of one version have the same wheel name.
        """
        base = super().installer_class(pip_version_tuple)
        if self._digest is None:
            return base
        return type(f"{base.__name__}-{self._digest[:12]}", (base,), {})


def _refuse_if_old(version: tuple[int, ...]) -> None:
    """Check that a Python version is supported by the fork.

    :raises CarrierError: if the version is too old.
    """
    if tuple(version[:2]) < OLDEST:
        raise CarrierError(
            f"The seeder 'pip-variants' needs Python {'.'.join(map(str, OLDEST))} or "
            f"newer, but this is Python {'.'.join(map(str, version[:2]))}.",
            "To use virtualenv's bundled pip, add --seeder app-data or set "
            "VIRTUALENV_SEEDER=app-data.",
        )
