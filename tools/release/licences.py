"""The licences of what the fork's wheel contains, as SPDX expressions.

The wheel has their texts, but no word on how they are called.
"""

from __future__ import annotations

from collections.abc import Iterable

from tools.release.errors import ReleaseError

__all__ = ["LICENCES", "licence_of", "undeclared"]

#: By normalised name.
LICENCES = {
    "archspec": "Apache-2.0 OR MIT",
    "cachecontrol": "Apache-2.0",
    "certifi": "MPL-2.0",
    "cpuid": "MIT",
    "distlib": "PSF-2.0",
    "distro": "Apache-2.0",
    "idna": "BSD-3-Clause",
    "msgpack": "Apache-2.0",
    "nvidia-ml-py": "BSD-3-Clause",
    "packaging": "Apache-2.0 OR BSD-2-Clause",
    "pip": "MIT",
    "pip-variants": "MIT",
    "platformdirs": "MIT",
    "pygments": "BSD-2-Clause",
    "pyproject-hooks": "MIT",
    "requests": "Apache-2.0",
    "resolvelib": "ISC",
    "rich": "MIT",
    "setuptools": "MIT",
    "tomli": "MIT",
    "tomli-w": "MIT",
    "truststore": "MIT",
    "urllib3": "MIT",
}


def licence_of(name: str) -> str:
    """Return the licence of a library.

    :param name: normalised.
    :raises ReleaseError: nobody has looked at it yet.
    """
    try:
        return LICENCES[name]
    except KeyError:
        raise ReleaseError(
            f"{name} is new in the wheel. Read its licence and add it to LICENCES in "
            "tools/release/licences.py, and to `license` in pyproject.toml"
        ) from None


def undeclared(licences: Iterable[str], declared: str) -> list[str]:
    """Return those licences that an expression of several, joined by AND, lacks."""
    parts = {part.strip("() ") for part in declared.split(" AND ")}
    return sorted(set(licences) - parts)
