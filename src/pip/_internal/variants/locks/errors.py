"""What goes wrong with lock files, told in pip's way."""

from __future__ import annotations

from collections.abc import Iterable

from pip._internal.variants.errors import VariantError

__all__ = ["LockConflict"]


class LockConflict(VariantError):
    """What depends on the builds that are chosen cannot be put into one lock file."""

    reference = "variant-lock-conflict"

    def __init__(self, problem: str, reasons: Iterable[str]) -> None:
        super().__init__(
            problem,
            reasons,
            [
                (
                    "Lock fewer builds: --variant LABEL or --variant PACKAGE=LABEL, once for "
                    "each that is wanted; for several kinds of machines, a file each."
                )
            ],
        )
