"""Generate random packages with machine-dependent wheels and versions.

The system, the machine and the Python determine the dependencies of a package, and its
versions and wheels. All versions of a package have the same dependencies, and no
requirement excludes a version, so the expected result for a machine needs no resolver.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import parse_wheel_filename

from tests.lib.wheels import make_wheel

_NAMES = ("app", "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta")
_PYTHONS = ("310", "311", "312", "313")
_PLATFORMS = (
    *("manylinux_2_17_x86_64.manylinux2014_x86_64", "manylinux_2_28_x86_64"),
    *("manylinux_2_34_x86_64", "manylinux1_x86_64", "linux_x86_64"),
    *("manylinux_2_28_aarch64", "musllinux_1_2_aarch64", "musllinux_1_2_x86_64"),
    *("macosx_10_9_universal2", "macosx_11_0_arm64", "macosx_14_0_arm64"),
    *("macosx_15_0_arm64", "macosx_11_0_x86_64"),
    *("win_amd64", "win_arm64", "win32"),
)
_MARKERS = (
    *("sys_platform == 'linux'", "sys_platform == 'win32'", "sys_platform != 'darwin'"),
    *("platform_machine == 'x86_64'", "platform_machine == 'AMD64'"),
    "platform_machine in 'arm64 aarch64 ARM64'",
    *("os_name == 'nt'", "os_name == 'posix'", "platform_system == 'Darwin'"),
    *(
        "python_version < '3.12'",
        "python_version >= '3.12'",
        "python_version == '3.13'",
    ),
    *("python_full_version >= '3.12.2'", "python_full_version < '3.11.5'"),
    *("implementation_name == 'cpython'", "implementation_name == 'pypy'"),
    "platform_python_implementation == 'CPython' and sys_platform == 'linux'",
    "sys_platform == 'win32' or python_version < '3.11'",
    "extra == 'more'",
)
_REQUIRES_PYTHON = (None, None, ">=3.11", ">=3.12", "<3.12", ">=3.12.2", "!=3.13.*")


@dataclass(frozen=True)
class Machine:
    """A machine with the expected meaning of its name.

    :ivar name: the value of ``--variant-host``.
    :ivar tags: the supported tags, best first.
    :ivar environment: the marker environment.
    """

    name: str
    tags: Sequence[Tag]
    environment: Mapping[str, str]


@dataclass(frozen=True)
class TreePackage:
    """A package.

    :ivar needs: the requirements, the same for all versions.
    :ivar requires_python: the ``Requires-Python`` by version.
    :ivar wheels: the file names by version, newest version first.
    """

    name: str
    needs: Sequence[str]
    requires_python: Mapping[str, str | None]
    wheels: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class PackageTree:
    """Packages; "app" requires the other packages."""

    packages: Mapping[str, TreePackage]

    def serve(self, folder: Path) -> str:
        """Write an index to a folder, and return the URL of the index."""
        for package in self.packages.values():
            own = folder / package.name
            own.mkdir(parents=True)
            lines = []
            for version, names in package.wheels.items():
                python = package.requires_python[version]
                for name in names:
                    _, _, tag = name.removesuffix(".whl").partition(f"-{version}-")
                    wheel = make_wheel(
                        *(package.name, version),
                        tag=tag,
                        requires=package.needs,
                        metadata=["Provides-Extra: more"],
                        requires_python=python,
                    )
                    (own / name).write_bytes(wheel.content)
                    shown = (python or "").replace("<", "&lt;").replace(">", "&gt;")
                    lines.append(
                        f'<a href="{name}" data-requires-python="{shown}">w</a>'
                    )
            (own / "index.html").write_text("\n".join(lines), encoding="utf-8")
        return folder.as_uri()

    def taken(self, machine: Machine) -> set[str] | None:
        """Return the wheels for a machine, or None if a wheel is missing."""
        taken: dict[str, str] = {}
        todo = ["app"]
        while todo:
            name = todo.pop()
            if name in taken:
                continue
            package = self.packages[name]
            wheel = self._best(package, machine)
            if wheel is None:
                return None
            taken[name] = wheel
            for each in map(Requirement, package.needs):
                environment = {**machine.environment, "extra": ""}
                if each.marker is None or each.marker.evaluate(environment):
                    todo.append(each.name)
        return {*taken.values()}

    def _best(self, package: TreePackage, machine: Machine) -> str | None:
        rank = {tag: number for number, tag in enumerate(machine.tags)}
        python = machine.environment["python_full_version"]
        for version, names in package.wheels.items():
            allowed = SpecifierSet(package.requires_python[version] or "")
            found = {
                name: min(
                    (rank[tag] for tag in _tags(name) if tag in rank), default=None
                )
                for name in names
            }
            suit = {name: each for name, each in found.items() if each is not None}
            if suit and allowed.contains(python, prereleases=True):
                return min(suit, key=lambda name: suit[name])
        return None


def _tags(name: str) -> Iterator[Tag]:
    yield from parse_wheel_filename(name)[3]


def random_tree(seed: int) -> PackageTree:
    """Generate a tree of packages."""
    rng = random.Random(seed)
    packages = {}
    for position, name in enumerate(_NAMES):
        later = _NAMES[position + 1 :]
        needs = []
        for other in rng.sample(later, min(len(later), rng.randint(0, 4))):
            marker = rng.choice((None, *_MARKERS))
            needs.append(f"{other}; {marker}" if marker else other)
        versions = ("2.0", "1.0")[: rng.randint(1, 2)]
        packages[name] = TreePackage(
            name,
            needs,
            {version: rng.choice(_REQUIRES_PYTHON) for version in versions},
            {version: _wheels(rng, name, version) for version in versions},
        )
    # Every machine can install a plain wheel, so that most trees can be resolved.
    packages = {name: _with_plain(rng, each) for name, each in packages.items()}
    return PackageTree(packages)


def _wheels(rng: random.Random, name: str, version: str) -> list[str]:
    tags = set()
    for _ in range(rng.randint(0, 6)):
        python, platform = rng.choice(_PYTHONS), rng.choice(_PLATFORMS)
        form = rng.choice(
            ("cp{0}-cp{0}", "cp{0}-cp{0}", "cp{0}-abi3", "py3-none", "cp{0}-none")
        )
        tags.add(f"{form.format(python)}-{platform}")
    if rng.random() < 0.2:
        tags.add(f"pp311-pypy311_pp73-{rng.choice(_PLATFORMS)}")
    if rng.random() < 0.3:
        tags.add("py3-none-any")
    return [f"{name}-{version}-{tag}.whl" for tag in sorted(tags)]


def _with_plain(rng: random.Random, package: TreePackage) -> TreePackage:
    if rng.random() < 0.1:
        return package
    oldest = [*package.wheels][-1]
    wheels = {*package.wheels[oldest], f"{package.name}-{oldest}-py3-none-any.whl"}
    return TreePackage(
        package.name,
        package.needs,
        {**package.requires_python, oldest: None},
        {**package.wheels, oldest: sorted(wheels)},
    )


def _cpython(minor: int, platforms: Sequence[str], abi: str = "") -> list[Tag]:
    version = (3, minor)
    interpreter = f"cp3{minor}"
    abis = [abi or interpreter]
    return [
        *cpython_tags(version, abis, platforms),
        *compatible_tags(version, interpreter, platforms),
    ]


def _environment(
    system: str, machine: str, python: str, implementation: str = "cpython"
) -> dict[str, str]:
    names = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}
    kinds = {"cpython": "CPython", "pypy": "PyPy"}
    return {
        "implementation_name": implementation,
        "os_name": "nt" if system == "win32" else "posix",
        "platform_machine": machine,
        "platform_python_implementation": kinds[implementation],
        "platform_system": names[system],
        "python_full_version": python,
        "python_version": ".".join(python.split(".")[:2]),
        "sys_platform": system,
    }


def _glibc(minor: int, machine: str) -> list[str]:
    tags = [f"linux_{machine}"]
    old = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
    for each in range(minor, 4 if machine == "x86_64" else 16, -1):
        tags += [f"manylinux_2_{each}_{machine}"]
        tags += [f"{old[each]}_{machine}"] if each in old else []
    return tags


_MUSL = ["linux_aarch64", *(f"musllinux_1_{n}_aarch64" for n in (2, 1, 0))]
#: One machine of each kind.
MACHINES = (
    Machine(
        "macos-arm64-py313",
        _cpython(13, [*mac_platforms((14, 0), "arm64")]),
        _environment("darwin", "arm64", "3.13.0"),
    ),
    Machine(
        "macos-12.6-x86_64-py3.11.9",
        _cpython(11, [*mac_platforms((12, 6), "x86_64")]),
        _environment("darwin", "x86_64", "3.11.9"),
    ),
    Machine(
        "windows-x86_64-py312-cuda-12.8-sm_89",
        _cpython(12, ["win_amd64"]),
        _environment("win32", "AMD64", "3.12.0"),
    ),
    Machine(
        "windows-arm64-py3.12.4",
        _cpython(12, ["win_arm64"]),
        _environment("win32", "ARM64", "3.12.4"),
    ),
    Machine(
        "cuda-12.8-sm_90-aarch64-py312",
        _cpython(12, _glibc(28, "aarch64")),
        _environment("linux", "aarch64", "3.12.0"),
    ),
    Machine(
        "musl-1.2-aarch64-py310",
        _cpython(10, _MUSL),
        _environment("linux", "aarch64", "3.10.0"),
    ),
    Machine(
        "glibc-2.35-x86_64-py313t",
        _cpython(13, _glibc(35, "x86_64"), "cp313t"),
        _environment("linux", "x86_64", "3.13.0"),
    ),
)
