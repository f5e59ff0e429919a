"""What is measured: which package, on which server, and what must come of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.lib.hosts import forced
from tools.bench.large import ALONE, LARGE, PARTS, RECEIVED, TORCH
from tools.bench.packages import BACKEND, MANY, PLUGIN, SIXTY, SIXTY_ONES, SMALL_ONES
from tools.bench.project import HOST, LOCKED, PROJECT, RESOLVED
from tools.bench.proxy import PYTORCH
from tools.bench.tools import FETCH, FORK, INSTALL, LOCK, LTT, PIP, RESOLVE, UV

__all__ = ["CASES", "COLD", "REGISTRY", "WARM", "Case"]

COLD, WARM = "cold", "warm"
#: The environment variable with the URL of a real registry, for the case of that name.
REGISTRY = "BENCH_REGISTRY"

#: In bytes per second.
_GIGABIT = 1e9 / 8
_DELAYS = (0, 30, 100)
#: From a folder beside those of the tools, of which each runs in one of its own.
_LOCALLY = "--no-deps", "--no-index", f"--find-links=../../{TORCH}"
#: A machine that all tools can be told to be.
_GPU = {name: value for name, value in forced("12.8").items() if value is not None}
_COPIED = "--link-mode", "copy"
_LINKED = "--link-mode", "hardlink"
_NO_VARIANTS = {LTT: "knows no variants"}
_NO_FETCH = {UV: "does not download alone", LTT: "not measured"}
_NO_OLD_PIP = {LTT: "not measured: it is a pip of an older release"}
_NO_PLUGINS = {
    PIP: "knows no providers",
    UV: "never runs a provider plugin",
    LTT: "knows no providers",
}
_NO_HOST = {
    PIP: "knows no variants",
    UV: "reads no description of a machine",
    LTT: "knows no variants",
}
_NO_LOCK = {
    PIP: "knows no variants",
    UV: "not measured: it locks for all platforms",
    LTT: "knows no variants",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A command to measure.

    :ivar title: what it is, for people.
    :ivar package: what tools that know variants install; None: the version is asked.
    :ivar way: whether they install it, resolve without installing, lock, or only fetch it.
    :ivar twin: what the others install in its place, by default the same.
    :ivar labels: the label of each package that must be installed, or the local part of
        its version, None for a plain one; empty where it depends on the machine, and
        tools must agree; of a lock file, all labels in order.
    :ivar more_requests: of the fork, beside those of untouched pip with the twin, by
        state of the cache.
    :ivar delays: in milliseconds a request.
    :ivar environ: what the tools are told of the machine.
    :ivar options: what a tool is told besides, by tool.
    :ivar is_proxied: whether the server stands for other hosts too, by way of a proxy.
    :ivar is_http: whether the server is asked without TLS.
    :ivar is_registry: whether the packages come from the registry :data:`REGISTRY`.
    :ivar unable: why a tool cannot do it, by tool.
    :ivar beyond: the case from which this one differs in what is measured alone.
    :ivar rate: of the line that all downloads share, in bytes per second.
    :ivar large: whether it takes minutes and gigabytes, and must be asked for by name.
    """

    name: str
    title: str
    package: str | None
    twin: str | None = None
    way: str = INSTALL
    labels: Mapping[str, str | None] = field(default_factory=dict)
    more_requests: Mapping[str, int] = field(default_factory=dict)
    delays: Sequence[int] = (0,)
    caches: Sequence[str] = (COLD,)
    environ: Mapping[str, str] = field(default_factory=lambda: _GPU)
    options: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_proxied: bool = False
    is_http: bool = False
    is_registry: bool = False
    ranges: bool = True
    core_metadata: bool = True
    unable: Mapping[str, str] = field(default_factory=dict)
    beyond: str | None = None
    rate: float | None = None
    large: bool = False


def _plain(*names: str) -> dict[str, str | None]:
    return dict.fromkeys(names)


def _large(name: str, way: str, **options: Sequence[str]) -> Case:
    return Case(
        name,
        f"16 wheels, 4 GB, 1 Gbit/s{way}",
        LARGE,
        labels=_plain(LARGE, *PARTS),
        options=options,
        unable=_NO_OLD_PIP,
        rate=_GIGABIT,
        large=True,
    )


def _again(name: str, way: str, **options: Sequence[str]) -> Case:
    # The first environment is that of the run which is not counted.
    return Case(
        name,
        f"torch 2.13.0 for CPUs into a second environment{way}",
        TORCH,
        labels=_plain(TORCH),
        options={tool: ("--no-deps", *more) for tool, more in options.items()},
        caches=(WARM,),
        unable=_NO_OLD_PIP,
        large=True,
    )


def _alone(name: str, *options: str) -> Case:
    # It takes as long as the line needs, and what comes after that.
    said = ", not compiled to bytecode" if options else ""
    return Case(
        name,
        f"one wheel of 2 GB, 1 Gbit/s{said}",
        ALONE,
        labels=_plain(ALONE),
        options={FORK: options, PIP: options},
        unable=_NO_OLD_PIP,
        rate=_GIGABIT,
        large=True,
    )


def _over_http(name: str, way: str, *options: str) -> Case:
    return Case(
        name,
        f"a plain package and 5 dependencies, without TLS{way}",
        "plain-five",
        labels=_plain("plain-five", *_SMALL),
        more_requests={COLD: 0},
        options={FORK: options},
        unable=_NO_OLD_PIP,
        is_http=True,
    )


_SMALL = _plain(*(f"small-{n}" for n in range(5)))
_PARTS = dict.fromkeys((f"part-{n}" for n in range(10)), "cu128")

CASES: Sequence[Case] = (
    Case("version", "--version", None, more_requests={COLD: 0}),
    Case(
        "plain",
        "a plain package",
        "plain",
        labels=_plain("plain"),
        more_requests={COLD: 0, WARM: 0},
        delays=_DELAYS,
        caches=(COLD, WARM),
    ),
    Case(
        "plain-five",
        "a plain package and 5 dependencies",
        "plain-five",
        labels=_plain("plain-five", *_SMALL),
        more_requests={COLD: 0, WARM: 0},
        delays=_DELAYS,
        caches=(COLD, WARM),
    ),
    _over_http("plain-five-http", ""),
    _over_http("plain-five-http-slow", ", --no-fast", "--no-fast"),
    Case(
        "sixty",
        "60 plain packages",
        SIXTY,
        labels=_plain(SIXTY, *SIXTY_ONES),
        more_requests={COLD: 0},
        delays=(30, 100),
        unable=_NO_OLD_PIP,
    ),
    Case(
        "registry",
        "jupyter and all that it needs, some 97 packages, from a real registry",
        "jupyter",
        caches=(COLD, WARM),
        environ={},
        options={UV: ("--compile-bytecode",)},
        unable=_NO_OLD_PIP,
        large=True,
        is_registry=True,
    ),
    Case(
        "variant",
        "a variant package",
        "variant",
        "plain",
        labels={"variant": "cu128"},
        more_requests={COLD: 1, WARM: 0},
        delays=_DELAYS,
        caches=(COLD, WARM),
        unable=_NO_VARIANTS,
    ),
    Case(
        "variant-five",
        "a variant package and 5 plain dependencies",
        "variant-five",
        "plain-five",
        labels={"variant-five": "cu128", **_SMALL},
        more_requests={COLD: 1, WARM: 0},
        delays=_DELAYS,
        caches=(COLD, WARM),
        unable=_NO_VARIANTS,
    ),
    Case(
        "variant-ten",
        "11 variant packages",
        "variant-ten",
        "plain-ten",
        labels={"variant-ten": "cu128", **_PARTS},
        more_requests={COLD: 11, WARM: 0},
        delays=_DELAYS,
        caches=(COLD, WARM),
        unable=_NO_VARIANTS,
    ),
    Case(
        "variant-ten-no-compile",
        "11 variant packages, not compiled to bytecode, as uv does",
        "variant-ten",
        "plain-ten",
        labels={"variant-ten": "cu128", **_PARTS},
        more_requests={COLD: 11},
        delays=(30, 100),
        options=dict.fromkeys((FORK, PIP), ("--no-compile",)),
        unable=_NO_VARIANTS,
    ),
    Case(
        "refused",
        "20 releases of unsupported variants, then a plain one",
        "refused",
        "plain-refused",
        labels=_plain("refused"),
        more_requests={COLD: 20, WARM: 0},
        delays=_DELAYS,
        caches=(COLD, WARM),
        unable=_NO_VARIANTS,
    ),
    Case(
        "long-page",
        "a plain package whose page lists 10,000 files",
        "long-page",
        labels=_plain("long-page"),
        more_requests={COLD: 0, WARM: 0},
        caches=(COLD, WARM),
    ),
    Case(
        "labels",
        "a release of 5,000 labels",
        "labels",
        labels={"labels": "best"},
        more_requests={COLD: 1, WARM: 0},
        caches=(COLD, WARM),
        unable=_NO_VARIANTS,
    ),
    Case(
        "plain-server",
        "a plain package of 5 MB, no PEP 658, no ranges",
        "plain-large",
        labels=_plain("plain-large", "small-0"),
        more_requests={COLD: 0},
        delays=(0, 30),
        ranges=False,
        core_metadata=False,
    ),
    Case(
        "variant-server",
        "a variant package of 5 MB, no PEP 658, no ranges",
        "large",
        "plain-large",
        labels={"large": "cu128", "small-0": None},
        more_requests={COLD: 1},
        delays=(0, 30),
        ranges=False,
        core_metadata=False,
        unable=_NO_VARIANTS,
    ),
    Case(
        "static",
        "variants judged by a list in their manifest",
        "static-kernels",
        "plain",
        labels={"static-kernels": "npu2"},
        more_requests={COLD: 1, WARM: 0},
        caches=(COLD, WARM),
        unable=_NO_VARIANTS,
    ),
    Case(
        "detected",
        "variants judged by the NVIDIA driver of this machine, if any",
        "variant",
        "plain",
        more_requests={COLD: 1, WARM: 0},
        caches=(COLD, WARM),
        environ={},
        unable=_NO_VARIANTS,
        beyond="static",
    ),
    Case(
        "levels",
        "variants judged by the CPU of this machine",
        "levels",
        "plain",
        more_requests={COLD: 1, WARM: 0},
        caches=(COLD, WARM),
        environ={},
        unable=_NO_VARIANTS,
        beyond="static",
    ),
    Case(
        "plugin",
        "variants judged by a trusted plugin",
        "plugin-kernels",
        "plain",
        labels={"plugin-kernels": "npu2"},
        caches=(COLD, WARM),
        options={FORK: ("--trust-variant-provider", PLUGIN)},
        unable=_NO_PLUGINS,
        beyond="static",
    ),
    Case(
        "pytorch",
        "a torch for CUDA 12.8 from PyTorch's own index",
        "torch",
        labels={"torch": BACKEND},
        delays=_DELAYS,
        caches=(COLD, WARM),
        environ={},
        options={
            FORK: ("--pytorch-computation-backend", BACKEND),
            PIP: ("--index-url", f"https://{PYTORCH}/whl/{BACKEND}/"),
            UV: ("--torch-backend", BACKEND),
            LTT: ("--pytorch-computation-backend", BACKEND),
        },
        is_proxied=True,
    ),
    Case(
        "resolve",
        "100 packages, ten with variants, resolved",
        PROJECT,
        way=RESOLVE,
        labels=RESOLVED,
        delays=(0, 30),
        caches=(COLD, WARM),
        environ={},
        options={FORK: ("--variant-host", HOST)},
        unable=_NO_HOST,
    ),
    Case(
        "lock",
        "the same 100 packages, locked",
        PROJECT,
        way=LOCK,
        labels=LOCKED,
        delays=(0, 30),
        caches=(COLD, WARM),
        environ={},
        unable=_NO_LOCK,
        beyond="resolve",
    ),
    Case(
        "fetch",
        "a plain package, fetched",
        "plain",
        way=FETCH,
        labels=_plain("plain"),
        more_requests={COLD: 0},
        unable=_NO_FETCH,
    ),
    Case(
        "receive",
        "a wheel of 1 GB, fetched",
        RECEIVED,
        way=FETCH,
        labels=_plain(RECEIVED),
        more_requests={COLD: 0},
        unable=_NO_FETCH,
        beyond="fetch",
        large=True,
    ),
    _alone("large-alone"),
    _alone("large-alone-no-compile", "--no-compile"),
    _large("large", ""),
    _large("large-in-turn", ", one at a time", fork=["--parallel-downloads=1"]),
    _large(
        "large-compiled", ", compiled to bytecode by all", uv=["--compile-bytecode"]
    ),
    Case(
        "torch",
        "torch 2.13.0 for CPUs, from a local file",
        TORCH,
        labels=_plain(TORCH),
        options=dict.fromkeys((FORK, PIP, UV), _LOCALLY),
        unable=_NO_OLD_PIP,
        large=True,
    ),
    _again("torch-again", ", by links", fork=_LINKED, pip=(), uv=()),
    _again(
        *("torch-again-copied", ", by copies"),
        fork=_COPIED,
        pip=(),
        uv=("--link-mode", "copy"),
    ),
    Case(
        "many",
        "97 small packages",
        MANY,
        labels=_plain(MANY, *SMALL_ONES),
        caches=(COLD, WARM),
        unable=_NO_OLD_PIP,
    ),
)
