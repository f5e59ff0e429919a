"""Create the packages of the benchmark's index, one per case."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import Any

from tests.lib.manifests import cuda, make_manifest, manifest_file
from tests.lib.repository import Entry, Repository
from tests.lib.wheels import DistFile, make_wheel

__all__ = ["MANY", "MANY_ONES", "SIXTY", "SIXTY_ONES", "TEN_ONES", "fill"]

#: The package that requires all of the small packages.
MANY, MANY_ONES = "many", [f"many-{n}" for n in range(96)]
#: A package that requires six packages, each of which requires nine others.
SIXTY, SIXTY_ONES = "sixty", [f"of-sixty-{n}" for n in range(59)]
TEN_ONES = [f"part-{n}" for n in range(10)]

_NEWER = ["75", "80", "86", "90", "100", "120"]
#: A machine with CUDA 12.8 and a GPU of compute capability 9.0 selects cu128.
_CUDA: Mapping[str, Any] = {
    "null": {},
    "cu126": cuda("12.6", ["50", "60", "70", "75", "80", "86", "90"]),
    "cu128": cuda("12.8", _NEWER),
    "cu129": cuda("12.9", _NEWER),
}
_PLATFORMS = (
    "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "musllinux_1_2_x86_64",
    "macosx_11_0_arm64",
    "win_amd64",
)
_MODULE = """\
class Step{n}:
    \"\"\"A step, and what comes of it.\"\"\"

    def run(self, values: list[float]) -> list[float]:
        return [each * {n} for each in values if each < self.limit]


"""
_FILES_OF_PAGE = 10_000
_LABELS = 5_000
_UNSUPPORTED = 20


def fill(repository: Repository) -> None:
    """Add all packages of a case except large wheels."""
    five = [f"small-{n}" for n in range(5)]
    for name in (*five, "plain"):
        repository.add(make_wheel(name, "1.0"))
    repository.add(make_wheel("plain-five", "1.0", requires=five))
    repository.add_release("variant", "1.0", _CUDA)
    repository.add_release("variant-five", "1.0", _CUDA, requires=five)
    for name in TEN_ONES:
        repository.add_release(name, "1.0", _CUDA)
    repository.add_release("variant-ten", "1.0", _CUDA, requires=TEN_ONES)
    weights = {"five_mb/weights.bin": random.Random(0).randbytes(5_000_000)}
    repository.add_release("five-mb", "1.0", _CUDA, files=weights)
    repository.add(make_wheel("refused", "1.0"))
    needs_newer = {f"cu{n}": cuda(f"13.{n}") for n in (0, 1)}
    for n in range(_UNSUPPORTED):
        repository.add_release("refused", f"{n + 2}.0", needs_newer, plain=False)
    _add_long_page(repository)
    _add_labels(repository)
    _add_many(repository)
    _add_sixty(repository)


def _add_long_page(repository: Repository) -> None:
    """Add a project with as many files as the largest projects on PyPI."""
    body = make_wheel("long-page", "2.0")
    for number in range(_FILES_OF_PAGE - 1):
        version, kind = divmod(number, 6 * len(_PLATFORMS))
        python, platform = divmod(kind, len(_PLATFORMS))
        tag = f"cp3{9 + python}-cp3{9 + python}-{_PLATFORMS[platform]}"
        _add_listed(repository, body, f"1.{version}", tag)
    repository.projects[body.project].append(Entry(body))


def _add_labels(repository: Repository) -> None:
    """Add a release with many labels, of which one is the best match."""
    labels = {
        f"l{n:04}": cuda(f"12.{9 + n % 12}", [str(50 + n % 60)]) for n in range(_LABELS)
    }
    body = make_wheel("labels", "1.0")
    for label in labels:
        _add_listed(repository, body, "1.0", f"py3-none-any-{label}")
    manifest = make_manifest({**labels, "best": cuda("12.8", ["90"])})
    own = {**manifest, "variants": {"best": manifest["variants"]["best"]}}
    repository.add(make_wheel("labels", "1.0", label="best", variant_json=own))
    repository.add(body)
    repository.add(manifest_file("labels", "1.0", manifest))


def _add_listed(repository: Repository, body: DistFile, version: str, tag: str) -> None:
    """Add a listed file that no tool downloads."""
    filename = f"{body.project.replace('-', '_')}-{version}-{tag}.whl"
    entry = Entry(
        DistFile(body.project, version, filename, body.content, body.metadata),
        sha256=hashlib.sha256(filename.encode()).hexdigest(),
        requires_python=">=3.9",
        upload_time="2026-01-01T00:00:00.000000Z",
    )
    # Repository.add() searches for files of the same name, one by one.
    repository.projects.setdefault(body.project, []).append(entry)


def _add_many(repository: Repository) -> None:
    for name in MANY_ONES:
        files = {
            f"{name.replace('-', '_')}/m{n}.py": _MODULE.format(n=n) * 9
            for n in range(20)
        }
        repository.add(make_wheel(name, "1.0", files=files))
    repository.add(make_wheel(MANY, "1.0", requires=MANY_ONES))


def _add_sixty(repository: Repository) -> None:
    first, others = SIXTY_ONES[:6], SIXTY_ONES[6:]
    needs: Mapping[str, Sequence[str]] = {
        SIXTY: first,
        **{name: others[n::6] for n, name in enumerate(first)},
        **dict.fromkeys(others, ()),
    }
    for name, requires in needs.items():
        repository.add(make_wheel(name, "1.0", requires=requires))
