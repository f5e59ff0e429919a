"""A seeder for virtualenv: its own, with the fork in place of the pip it brings along.

virtualenv loads this module whenever it runs, so nothing here may fail before the seeder
is asked for.
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
    """Install the fork, and what else virtualenv's own seeder installs.

    ``bundle`` and ``embed`` stand for the fork. Any other version of pip that is asked
    for is had as from virtualenv's own seeder.

    :raises RuntimeError: the wheel of the fork is damaged, or the environment's Python is
        too old for it; virtualenv ends with this message, before it makes anything
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
            # Older releases of virtualenv do not tell it here.
            _refuse_if_old(getattr(options, "py_version", OLDEST))
            bundled.read()
            folder = bundled.path.parent
        except CarrierError as error:
            raise RuntimeError(str(error)) from None
        self._digest = bundled.sha256
        self.extra_search_dir.insert(0, folder)
        # Which would look for a newer pip than virtualenv's, for nothing.
        self.periodic_update = False

    def run(self, creator: Creator) -> None:
        """Install the packages.

        :raises RuntimeError: the environment's Python is too old for the fork
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
        """Return the class that installs, under a name for this very wheel.

        virtualenv keeps what it unpacked by the names of the class and of the wheel; two
        builds of one version have the same name.
        """
        base = super().installer_class(pip_version_tuple)
        if self._digest is None:
            return base
        return type(f"{base.__name__}-{self._digest[:12]}", (base,), {})


def _refuse_if_old(version: tuple[int, ...]) -> None:
    """See to it that a Python can have the fork.

    :raises CarrierError: it is too old
    """
    if tuple(version[:2]) < OLDEST:
        raise CarrierError(
            f"The seeder pip-variants is for Python {'.'.join(map(str, OLDEST))} and "
            f"newer, and this is {'.'.join(map(str, version[:2]))}.",
            "For virtualenv's own pip: --seeder app-data (or VIRTUALENV_SEEDER=app-data)",
        )
