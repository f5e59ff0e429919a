"""A seeder for virtualenv: its own, with the fork in place of the pip it brings along.

virtualenv loads this module whenever it runs, so nothing here may fail before the seeder
is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from virtualenv.seed.embed.via_app_data.via_app_data import FromAppData
from virtualenv.seed.wheels.util import Version

from pip_variants.bundled import OLDEST, carried
from pip_variants.errors import CarrierError

if TYPE_CHECKING:
    from virtualenv.config.cli.parser import VirtualEnvOptions
    from virtualenv.seed.embed.via_app_data.pip_install.base import PipInstall

__all__ = ["VariantsSeeder"]


class VariantsSeeder(FromAppData):
    """Install the fork, and what else virtualenv's own seeder installs.

    ``bundle`` and ``embed`` stand for the fork. Any other version of pip that is asked
    for is had as from virtualenv's own seeder.

    :raises RuntimeError: the wheel of the fork is damaged; virtualenv ends with this
        message
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
            bundled.read()
            folder = bundled.path.parent
        except CarrierError as error:
            raise RuntimeError(str(error)) from None
        self._digest = bundled.sha256
        self.extra_search_dir.insert(0, folder)
        # Which would look for a newer pip than virtualenv's, for nothing.
        self.periodic_update = False

    @classmethod
    def cannot_seed(cls, interpreter: Any) -> str | None:
        """Return why a Python cannot have the fork, ``None`` if it can."""
        version = tuple(interpreter.version_info[:2])
        if version >= OLDEST:
            return None
        return (
            f"the seeder pip-variants is for Python {'.'.join(map(str, OLDEST))} and "
            f"newer, and this is {'.'.join(map(str, version))}; for virtualenv's own pip "
            "type --seeder app-data (or VIRTUALENV_SEEDER=app-data)"
        )

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
