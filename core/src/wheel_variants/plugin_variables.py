"""Select the environment variables that a provider plugin sees. Pure: no I/O."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping

__all__ = ["SECRETS", "is_secret", "visible"]

#: A plugin never sees a variable whose name contains one of these words.
SECRETS = ("TOKEN", "KEY", "SECRET", "PASS")

#: Variables that any process needs, and variables that select the visible devices.
_KEPT = frozenset(
    (
        *("PATH", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "WINDIR"),
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PROGRAMFILES"),
        *("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"),
        *("HIP_VISIBLE_DEVICES", "ONEAPI_DEVICE_SELECTOR", "ASCEND_RT_VISIBLE_DEVICES"),
        *("ROCM_PATH", "CUDA_PATH", "CUDA_HOME", "ASCEND_HOME_PATH"),
    )
)


def is_secret(name: str) -> bool:
    """Return whether the variable *name* may contain a secret."""
    return any(part in name.upper() for part in SECRETS)


def visible(
    environ: Mapping[str, str], trusted: Collection[str], named: Collection[str]
) -> dict[str, str]:
    """Return the variables that a plugin sees.

    These are the variables that any process needs, override variables of *trusted*
    packages, and the variables that the user names. Override variables are called
    ``<PACKAGE>_FORCE_...``, such as ``NPU_VARIANT_PROVIDER_FORCE_KIND``, or
    ``<PACKAGE>_DISABLE_...``, such as ``ROCM_BOOTSTRAP_DISABLE_DETECTION``.

    :param trusted: normalized names of packages.
    :param named: the variables that the user names.
    """
    if os.name == "nt":  # pragma: no cover (Windows only)
        named = {name.upper() for name in named}
    packages = "|".join(re.escape(_prefix(name)) for name in trusted)
    override = re.compile(rf"(?:{packages})_(?:FORCE|DISABLE)_[A-Z_]+")
    return {
        name: value
        for name, value in environ.items()
        if name.upper() in _KEPT
        or (
            (name in named or (packages and override.fullmatch(name)))
            and not is_secret(name)
        )
    }


def _prefix(project: str) -> str:
    return re.sub(r"[-.]", "_", project).upper()
