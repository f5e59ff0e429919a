"""Where a command installs packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pip._internal.locations import get_scheme

if TYPE_CHECKING:
    from optparse import Values

    from pip._internal.models.scheme import Scheme

__all__ = ["installed_to"]


def installed_to(options: Values) -> Scheme | None:
    """Return where a command that installs puts the files of packages.

    :return: None with ``--target``, which upstream moves them to in the end
    """
    if options.target_dir is not None:
        return None
    return get_scheme(
        "any",
        user=options.use_user_site,
        root=options.root_path,
        isolated=options.isolated_mode,
        prefix=options.prefix_path,
    )
