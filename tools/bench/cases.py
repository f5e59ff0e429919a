"""The measured installations, and the packages that each must install."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tools.bench.large import LARGE, PARTS, TORCH
from tools.bench.packages import MANY, MANY_ONES, SIXTY, SIXTY_ONES, TEN_ONES
from tools.bench.tools import FORK, PIP, UV

__all__ = ["CASES", "COLD", "REGISTRY", "WARM", "Case"]

COLD, WARM = "cold", "warm"
#: The environment variable with the URL of a real registry, for the case of that name.
REGISTRY = "BENCH_REGISTRY"

_GIGABIT = 1e9 / 8
_DELAYS = (0, 30, 100)
_BOTH = (COLD, WARM)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A package to install.

    :ivar package: the name of the package; None: tools print their version.
    :ivar labels: the label of each installed package, None for a plain wheel. Stock pip
        selects the plain wheels of the same pages. None: not checked.
    :ivar delays: the delays before each response, in milliseconds.
    :ivar options: additional options, by tool.
    :ivar is_http: whether clients connect without TLS.
    :ivar bare: whether the server has no PEP 658 metadata and no range requests.
    :ivar rate: the bandwidth that all downloads share, in bytes per second.
    :ivar large: whether the case takes minutes or gigabytes, and only runs if selected by
        name.
    """

    name: str
    title: str
    package: str | None
    labels: Mapping[str, str | None] | None = None
    delays: Sequence[int] = (0,)
    caches: Sequence[str] = (COLD,)
    options: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_http: bool = False
    bare: bool = False
    rate: float | None = None
    large: bool = False


def _plain(*names: str) -> dict[str, str | None]:
    return dict.fromkeys(names)


_FIVE = _plain(*(f"small-{n}" for n in range(5)))
_TEN = dict.fromkeys(TEN_ONES, "cu128")


def _over_http(name: str, way: str, *options: str) -> Case:
    return Case(
        name,
        f"a plain package and 5 dependencies, without TLS{way}",
        "plain-five",
        {"plain-five": None, **_FIVE},
        options={FORK: options},
        is_http=True,
    )


def _again(name: str, way: str, mode: str, *of_uv: str) -> Case:
    # The first environment belongs to the warm-up run.
    return Case(
        name,
        f"torch 2.13.0 for CPUs into a second environment, by {way}",
        TORCH,
        _plain(TORCH),
        caches=(WARM,),
        options={
            FORK: ("--no-deps", "--link-mode", mode),
            UV: ("--no-deps", *of_uv),
            PIP: ("--no-deps",),
        },
        large=True,
    )


CASES: Sequence[Case] = (
    Case("version", "--version", None),
    Case("plain", "a plain package", "plain", _plain("plain"), _DELAYS, _BOTH),
    Case(
        "plain-five",
        "a plain package and 5 dependencies",
        "plain-five",
        {"plain-five": None, **_FIVE},
        _DELAYS,
        _BOTH,
    ),
    _over_http("plain-five-http", ""),
    _over_http("plain-five-http-slow", ", --no-fast", "--no-fast"),
    Case(
        "sixty",
        "60 plain packages",
        SIXTY,
        _plain(SIXTY, *SIXTY_ONES),
        delays=(30, 100),
    ),
    Case("many", "97 small packages", MANY, _plain(MANY, *MANY_ONES), caches=_BOTH),
    Case(
        "registry",
        "jupyter and all that it needs, some 97 packages, from a real registry",
        "jupyter",
        caches=_BOTH,
        options={UV: ("--compile-bytecode",)},
        large=True,
    ),
    Case(
        "variant", "a variant package", "variant", {"variant": "cu128"}, _DELAYS, _BOTH
    ),
    Case(
        "variant-five",
        "a variant package and 5 plain dependencies",
        "variant-five",
        {"variant-five": "cu128", **_FIVE},
        _DELAYS,
        _BOTH,
    ),
    Case(
        "variant-ten",
        "11 variant packages",
        "variant-ten",
        {"variant-ten": "cu128", **_TEN},
        _DELAYS,
        _BOTH,
    ),
    Case(
        "variant-bare",
        "a variant package of 5 MB, no PEP 658, no ranges",
        "five-mb",
        {"five-mb": "cu128"},
        delays=(0, 30),
        bare=True,
    ),
    Case(
        "refused",
        "20 releases of unsupported variants, then a plain one",
        "refused",
        _plain("refused"),
        _DELAYS,
        _BOTH,
    ),
    Case(
        "long-page",
        "a plain package whose page lists 10,000 files",
        "long-page",
        _plain("long-page"),
        caches=_BOTH,
    ),
    Case(
        "labels",
        "a release of 5,000 labels",
        "labels",
        {"labels": "best"},
        caches=_BOTH,
    ),
    Case(
        "large",
        "16 wheels, 4 GB, 1 Gbit/s",
        LARGE,
        _plain(LARGE, *PARTS),
        rate=_GIGABIT,
        large=True,
    ),
    _again("torch-again", "links", "hardlink"),
    _again("torch-again-copied", "copies", "copy", "--link-mode", "copy"),
)
