"""A project of a hundred packages, ten of them with variants, as applications need.

Its libraries need each other within bounds that rule some of the newest releases out. The
ten have two to four variants each, named after CUDA versions, CPU levels or BLAS
libraries, and maybe a plain build. What they need differs by build, or hangs on markers
that ask for the properties of the build.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tests.lib.index import IndexServer
from tests.lib.locks import add_builds
from tests.lib.manifests import Properties, Provider, cuda, make_manifest
from tests.lib.repository import Repository
from tests.lib.wheels import DistFile, escape_name, make_wheel

__all__ = ["HOST", "LOCKED", "PROJECT", "RESOLVED", "X86_64", "add_project"]

#: What needs all the others.
PROJECT = "project"
#: The machine that is resolved for.
HOST = "cuda-12.8-sm_90-x86_64-v3"
#: uv knows this provider, and pip the package too.
X86_64 = Provider(["x86_64-variant-provider>=0.2,<0.3"])

_OLDER = ["50", "60", "70", "75", "80", "86", "90"]
_NEWER = ["75", "80", "86", "90", "100", "120"]
_PROPERTIES: Mapping[str, Properties] = {
    "cu126": cuda("12.6", _OLDER),
    "cu128": cuda("12.8", _NEWER),
    "cu129": cuda("12.9", _NEWER),
    "cu12": cuda("12.0", _OLDER),
    "cu13": cuda("13.0", _NEWER),
    **{f"x86_64_v{n}": [f"x86_64 :: level :: v{n}"] for n in (2, 3, 4)},
    **{name: [f"blas_lapack :: provider :: {name}"] for name in ("openblas", "mkl")},
    "null": {},
}
_NEWEST = 'variant_label == "cu128"'
_OLDEST = 'variant_label != "cu128"'
_CUDA = '"nvidia"'


class _Variants(NamedTuple):
    """A package with variants.

    :ivar best: the label of what suits :data:`HOST` best.
    :ivar needs: of each build, by label; under None those of a plain one.
    :ivar common: what all builds need, if the marker holds for them.
    """

    best: str
    needs: Mapping[str | None, Sequence[str]]
    common: Sequence[str] = ()


def _alike(
    *labels: str | None, needs: Sequence[str] = ()
) -> dict[str | None, Sequence[str]]:
    return dict.fromkeys(labels, needs)


_TEN: Mapping[str, _Variants] = {
    "tensor": _Variants(
        "cu128",
        {
            "cu126": ["cuda-runtime==12.6.*", "cuda-blas"],
            "cu128": ["cuda-runtime==12.8.*", "cuda-blas"],
            "cu129": ["cuda-runtime==12.9.*", "cuda-blas"],
            "null": ["cpu-threads"],
        },
        ["library-20>=1.1", "library-33"],
    ),
    "vision": _Variants(
        "cu128",
        {**_alike("cu126", "cu128", "cu129", needs=["image-cuda"]), "null": []},
        ["tensor>=2", "image-codec", "library-41"],
    ),
    "audio": _Variants(
        "cu128",
        _alike("cu126", "cu128", "cu129", "null"),
        [
            "tensor>=2",
            f"audio-cuda; {_CUDA} in variant_namespaces",
            f"audio-cpu; {_CUDA} not in variant_namespaces",
        ],
    ),
    "flash": _Variants(
        "cu128",
        _alike("cu126", "cu128", None),
        [
            "tensor>=2",
            f"flash-sm90; {_NEWEST}",
            f"flash-fallback; {_OLDEST}",
        ],
    ),
    "array": _Variants(
        "cu12",
        {"cu12": ["array-cuda12"], "cu13": ["array-cuda13"], None: []},
        ["library-25", "library-52>=1.0"],
    ),
    "kernels": _Variants(
        "cu128",
        {"cu126": [], "cu128": [], "x86_64_v3": ["simd-kernels"], "null": []},
        [
            "library-44",
            f"kernels-sm90; {_NEWEST}",
            f"kernels-portable; {_OLDEST}",
        ],
    ),
    "linalg": _Variants(
        "x86_64_v3",
        {
            "x86_64_v2": [],
            "x86_64_v3": ["simd-kernels"],
            "x86_64_v4": ["simd-kernels", "avx512-kernels"],
            None: [],
        },
        ["library-18"],
    ),
    "search": _Variants(
        "x86_64_v3",
        _alike("x86_64_v2", "x86_64_v3", "x86_64_v4", None),
        ["linalg", "library-30>=1.2", "library-57"],
    ),
    "codec": _Variants(
        "x86_64_v3",
        {"x86_64_v2": [], "x86_64_v3": ["simd-kernels"], None: []},
        ["library-61"],
    ),
    "stats": _Variants(
        "openblas",
        {"mkl": ["mkl-libs"], "openblas": ["openblas-libs"], None: []},
        ["linalg", "library-27", "library-66"],
    ),
}
#: What just some builds need, with versions and needs of its own.
_PARTS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "cuda-runtime": (["12.6.0", "12.6.1", "12.8.0", "12.8.1", "12.9.0"], []),
    "cuda-blas": (["12.0", "12.1"], ["library-70"]),
    **{
        name: (["1.0", "1.1", "1.2"], [needed])
        for name, needed in (
            ("cpu-threads", "library-58"),
            ("image-codec", "library-62>=1.0"),
            ("image-cuda", "library-70"),
            ("audio-cuda", "library-71"),
            ("audio-cpu", "library-58"),
            ("flash-sm90", "library-71"),
            ("flash-fallback", "library-60"),
            ("array-cuda12", "library-70"),
            ("array-cuda13", "library-70"),
            ("kernels-sm90", "library-71"),
            ("kernels-portable", "library-60"),
            ("simd-kernels", "library-63"),
            ("avx512-kernels", "library-63"),
            ("openblas-libs", "library-59"),
            ("mkl-libs", "library-59"),
        )
    },
}
_NOT_FOR_HOST = {
    *("cpu-threads", "audio-cpu", "flash-fallback", "array-cuda13"),
    *("kernels-portable", "avx512-kernels", "mkl-libs"),
}
_LIBRARIES = 73
#: So many libraries stand in the project's own requirements.
_DIRECT = 14
_WITH_EXTRA = {19, 37, 50}
_NAMES = [PROJECT, *_TEN, *_PARTS, *(f"library-{n}" for n in range(_LIBRARIES))]

#: The labels of all that a lock file must hold, ``plain`` for a plain build of ten.
LOCKED: Mapping[str, str | None] = {
    **dict.fromkeys(_NAMES),
    **{
        name: " ".join(sorted(label or "plain" for label in package.needs))
        for name, package in _TEN.items()
    },
}
#: What must be found for :data:`HOST`.
RESOLVED: Mapping[str, str | None] = {
    **dict.fromkeys(name for name in _NAMES if name not in _NOT_FOR_HOST),
    **{name: package.best for name, package in _TEN.items()},
}


def add_project(index: IndexServer) -> None:
    """Add the project and all that any machine needs for it."""
    direct = [f"library-{number}" for number in range(_DIRECT)]
    index.add(make_wheel(PROJECT, "1.0", requires=[*direct, *_TEN]))
    for name, package in _TEN.items():
        for version in ("1.0", "2.0", "2.1"):
            _add_variants(index, name, version, package)
    for name, (versions, requires) in _PARTS.items():
        for version in versions:
            _add_plain(index, name, version, requires)
    _add_libraries(index)


def _add_variants(
    index: IndexServer, name: str, version: str, package: _Variants
) -> None:
    labels = [label for label in package.needs if label is not None]
    manifest = make_manifest(
        {label: _PROPERTIES[label] for label in labels}, providers={"x86_64": X86_64}
    )
    needs = {
        label: [*package.common, *requires] for label, requires in package.needs.items()
    }
    add_builds(index, name, version, manifest, needs)


def _add_plain(
    repository: Repository,
    name: str,
    version: str,
    requires: Sequence[str],
    extras: Mapping[str, Sequence[str]] | None = None,
) -> None:
    wheel = make_wheel(
        name, version, requires=requires, extras=extras, requires_python=">=3.9"
    )
    # Nobody fetches it, but pages list one.
    content = f"{name} {version}".encode()
    sdist = DistFile(
        name, version, f"{escape_name(name)}-{version}.tar.gz", content, None
    )
    for file in (sdist, wheel):
        repository.add(file, requires_python=">=3.9")


def _add_libraries(repository: Repository) -> None:
    """Add libraries; each but the direct ones is needed by some with a lower number."""
    # The same ones on every run.
    chance = random.Random(751)
    requires: list[list[str]] = [[] for _ in range(_LIBRARIES)]
    counts = [chance.randint(4, 16) for _ in range(_LIBRARIES)]
    for number in range(_DIRECT, _LIBRARIES):
        among = range(max(0, number - 30), number)
        parents = sorted(chance.sample(among, chance.choice((1, 1, 2, 2, 3, 5))))
        is_held_back = chance.random() < 0.15
        for parent in parents:
            extra = "[fast]" if number in _WITH_EXTRA else ""
            lowest = _version(chance.randrange(counts[number] // 2))
            text = f"library-{number}{extra}>={lowest}"
            if is_held_back and parent == parents[-1]:
                text += f",<{_version(counts[number] - 1)}"
            if chance.random() < 0.2:
                text += '; python_version >= "3.9"'
            requires[parent].append(text)
    for number, needed in enumerate(requires):
        if number % 7 == 0:
            needed.append('console-colours; sys_platform == "win32"')
        extras = {"fast": [f"library-{_LIBRARIES - 1}"]}
        for place in range(counts[number]):
            _add_plain(
                repository,
                f"library-{number}",
                _version(place),
                needed,
                extras if number in _WITH_EXTRA else None,
            )


def _version(place: int) -> str:
    return f"{1 + place // 4}.{place % 4}"
