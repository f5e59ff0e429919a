"""What pip does when everything is downloaded and built, before it changes anything."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger
from pip._internal.fast.environment_lock import take_lock
from pip._internal.locations import get_purelib

if TYPE_CHECKING:
    from pip._internal.req.req_install import InstallRequirement

__all__ = ["before_installing"]

logger = get_logger(__name__)

#: Where earlier releases of the fork kept plans of upgrades, among packages.
_PLANS = ".pip-replacing"


def before_installing(requirements: Sequence[InstallRequirement]) -> None:
    """Lock the environment, and report what the user should know first.

    :raises EnvironmentChanged: if another installer has changed the environment.
    """
    if not requirements:
        return
    take_lock()
    if len(requirements) > 1:
        from pip._internal.fast.shared_files import warn_of_shared_files

        warn_of_shared_files(requirements)
    packages = get_purelib()
    try:
        names = os.listdir(packages)
    except OSError:
        # There is none yet, or the installation reports why.
        return
    if any(name.startswith(".pip-staging-") for name in names):
        from pip._internal.fast.downloads.staging_folder import remove_abandoned

        remove_abandoned(packages)
    if _PLANS in names:
        logger.warning(
            "An earlier pip was killed during an upgrade and left '%s'. pip does not use "
            "it; you can remove it.",
            os.path.join(packages, _PLANS),
        )
