"""Extend packaging with variants: file names, markers and lock files.

PEP 825, "File name" and "Environment markers".
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

from ..wheel_variants.labels import split_label

if TYPE_CHECKING:
    from typing import ParamSpec, TypeVar

    from ..wheel_variants.markers import VariantEnvironment
    from .markers import Marker

    P = ParamSpec("P")
    R = TypeVar("R")


def parse_wheel_filename(fn: Callable[..., R]) -> Callable[..., R]:
    """Parse the names of variant wheels; *fn* parses them without the label."""

    # Upstream parses each name three times, and variants of a release differ only in the
    # label.
    @functools.wraps(fn)
    @functools.lru_cache(maxsize=8192)
    def parse(filename: str, **options: Any) -> R:
        plain, label = split_label(filename)
        if label is None:
            return fn(filename, **options)
        try:
            return parse(plain, **options)
        except ValueError as error:
            from .utils import InvalidWheelFilename

            if isinstance(error, InvalidWheelFilename):
                raise
            # Python refuses to parse numbers of thousands of digits.
            raise InvalidWheelFilename(
                f"Invalid wheel filename (a number is too long): {filename!r}"
            ) from None

    return parse


def lock_package(fn: Callable[P, R]) -> Callable[P, R]:
    """Preserve the manifest of a package in a lock file.

    :return: a function that creates packages; a package with a manifest has an attribute
        ``variants_json``.
    """

    @functools.wraps(fn)
    def from_dict(*args: P.args, **kwargs: P.kwargs) -> R:
        package = fn(*args, **kwargs)
        table = cast("Mapping[str, Any]", args[1])
        if "variants-json" in table:
            # The class is frozen.
            object.__setattr__(package, "variants_json", table["variants-json"])
        return package

    return from_dict


#: The marker environment of another target machine; empty for this machine.
_target: dict[str, str] = {}
#: The marker environment of a variant wheel; None for other wheels.
_variant: ContextVar[VariantEnvironment | None] = ContextVar("variant", default=None)


def evaluate_marker(fn: Callable[..., bool]) -> Callable[..., bool]:
    """Evaluate a marker for the current target and variant."""

    @functools.wraps(fn)
    def evaluate(
        self: Marker,
        environment: VariantEnvironment | None = None,
        context: str = "metadata",
    ) -> bool:
        from ..wheel_variants.markers import NO_VARIANT

        variant = _variant.get() or NO_VARIANT
        return fn(self, {**_target, **variant, **(environment or {})}, context)

    return evaluate


@contextmanager
def on_target(environment: Mapping[str, str]) -> Iterator[None]:
    """Evaluate markers for a machine within the context, in all threads.

    :param environment: the marker environment of that machine; empty for this machine.
    """
    before = dict(_target)
    _target.clear()
    _target.update(environment)
    try:
        yield
    finally:
        _target.clear()
        _target.update(before)


@contextmanager
def during(environment: VariantEnvironment) -> Iterator[None]:
    """Evaluate markers for a variant within the context."""
    token = _variant.set(environment)
    try:
        yield
    finally:
        _variant.reset(token)
