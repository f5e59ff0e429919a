"""What the index of the benchmark holds: stand-ins in every shape that is measured."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import Any

from tests.lib.manifests import Provider, cuda, make_manifest, manifest_file
from tests.lib.pytorch_index import PyTorchIndexServer
from tests.lib.repository import Entry, Repository
from tests.lib.wheels import DistFile, make_wheel
from tools.bench.project import X86_64, add_project

__all__ = [
    "BACKEND",
    "MANY",
    "PLUGIN",
    "SIXTY",
    "SIXTY_ONES",
    "SMALL_ONES",
    "fill",
]

#: The plugin that knows the namespace ``npu``.
PLUGIN = "npu-variant-provider"
#: What a torch from PyTorch's own index is asked for.
BACKEND = "cu128"
#: What needs all the small ones.
MANY = "many"
SMALL_ONES = [f"many-{n}" for n in range(96)]
#: What needs six packages, of which each needs nine others.
SIXTY = "sixty"
SIXTY_ONES = [f"of-sixty-{n}" for n in range(59)]

_NEWER = ["75", "80", "86", "90", "100", "120"]
#: Of these, a machine with CUDA 12.8 and a GPU of compute capability 9.0 takes cu128.
_CUDA: Mapping[str, Any] = {
    "null": {},
    "cu126": cuda("12.6", ["50", "60", "70", "75", "80", "86", "90"]),
    "cu128": cuda("12.8", _NEWER),
    "cu129": cuda("12.9", _NEWER),
}
_LEVELS = {f"v{n}": [f"x86_64 :: level :: v{n}"] for n in (1, 2, 3, 4)}
_KINDS = {f"npu{n}": [f"npu :: kind :: b{n}"] for n in (1, 2, 3)}
_PROVIDERS = {"x86_64": X86_64}
_PLUGIN_CODE = """\
class Feature:
    multi_value = False
    name = "kind"
    values = ["b2", "b1"]

def get_supported_configs():
    return [Feature()]
"""
_PLATFORMS = (
    "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "musllinux_1_2_x86_64",
    "macosx_11_0_arm64",
    "win_amd64",
)
#: As many modules as a small package has, one of them.
_MODULES = 20
_MODULE = """\
class Step{n}:
    \"\"\"A step, and what comes of it.\"\"\"

    def __init__(self, limit: int = {n}) -> None:
        self.limit = limit

    def run(self, values: list[float]) -> list[float]:
        return [each * {n} for each in values if each < self.limit]


"""
_FILES_OF_PAGE = 10_000
_LABELS = 5_000
_UNSUPPORTED = 20
_WHEEL_SIZE = 5_000_000


def fill(repository: PyTorchIndexServer) -> None:
    """Add everything that a case installs."""
    parts = [f"part-{n}" for n in range(10)]
    small = [f"small-{n}" for n in range(5)]
    for name in [*small, "plain"]:
        repository.add(make_wheel(name, "1.0"))
    repository.add(make_wheel("plain-five", "1.0", requires=small))
    repository.add_release("variant", "1.0", _CUDA)
    repository.add_release("variant-five", "1.0", _CUDA, requires=small)
    for name in parts:
        repository.add_release(name, "1.0", _CUDA)
        repository.add(make_wheel(f"plain-{name}", "1.0"))
    repository.add_release("variant-ten", "1.0", _CUDA, requires=parts)
    plain_parts = [f"plain-{name}" for name in parts]
    repository.add(make_wheel("plain-ten", "1.0", requires=plain_parts))
    repository.add_release(
        "levels", "1.0", _LEVELS, manifest=make_manifest(_LEVELS, providers=_PROVIDERS)
    )
    _add_unsupported(repository)
    _add_long_page(repository)
    _add_labels(repository)
    _add_large(repository)
    _add_plugin(repository)
    _add_many(repository)
    _add_sixty(repository)
    add_project(repository)
    repository.add_builds("torch", "2.9.1", ["cpu", "cu126", BACKEND])


def _add_unsupported(repository: Repository) -> None:
    needs_newer = {f"cu{n}": cuda(f"13.{n}") for n in (0, 1)}
    for name, plain in (("refused", False), ("plain-refused", True)):
        repository.add(make_wheel(name, "1.0"))
        for n in range(_UNSUPPORTED):
            if plain:
                repository.add(make_wheel(name, f"{n + 2}.0"))
            else:
                repository.add_release(name, f"{n + 2}.0", needs_newer, plain=False)


def _add_long_page(repository: Repository) -> None:
    """Add a project with as many files as the largest ones on PyPI."""
    body = make_wheel("long-page", "0")
    count = 0
    for version in range(_FILES_OF_PAGE):
        for python in range(9, 15):
            for platform in _PLATFORMS:
                tag = f"cp3{python}-cp3{python}-{platform}"
                file = DistFile(
                    "long-page",
                    f"1.{version}",
                    f"long_page-1.{version}-{tag}.whl",
                    body.content,
                    body.metadata,
                )
                _add_listed(repository, file)
                count += 1
                if count == _FILES_OF_PAGE - 1:
                    repository.add(make_wheel("long-page", "2.0"))
                    return


def _add_listed(repository: Repository, file: DistFile) -> None:
    """Add a file that nobody fetches, with a digest of its own, as all files have."""
    entry = Entry(
        file,
        sha256=hashlib.sha256(file.filename.encode()).hexdigest(),
        requires_python=">=3.9",
        upload_time="2026-01-01T00:00:00.000000Z",
    )
    # Repository.add() looks for files of the same name, one by one.
    repository.projects.setdefault(file.project, []).append(entry)


def _add_labels(repository: Repository) -> None:
    """Add a release of many labels, of which one fits best."""
    labels = {
        f"l{n:04}": cuda(f"12.{9 + n % 12}", [str(50 + n % 60)]) for n in range(_LABELS)
    }
    labels["best"] = cuda("12.8", ["90"])
    manifest = make_manifest(labels)
    body = make_wheel("labels", "1.0")
    for label in labels:
        name = f"labels-1.0-py3-none-any-{label}.whl"
        listed = DistFile("labels", "1.0", name, body.content, body.metadata)
        if label != "best":
            _add_listed(repository, listed)
    one = {**manifest, "variants": {"best": manifest["variants"]["best"]}}
    repository.add(make_wheel("labels", "1.0", label="best", variant_json=one))
    repository.add(body)
    repository.add(manifest_file("labels", "1.0", manifest))


def _add_large(repository: Repository) -> None:
    content = random.Random(0).randbytes(_WHEEL_SIZE)
    options: dict[str, Any] = {"requires": ["small-0"]}
    files = {"large_data/weights.bin": content}
    repository.add(make_wheel("plain-large", "1.0", files=files, **options))
    repository.add_release("large", "1.0", _CUDA, files=files, **options)


def _add_many(repository: Repository) -> None:
    for name in SMALL_ONES:
        module = name.replace("-", "_")
        files = {
            f"{module}/m{n}.py": "".join(_MODULE.format(n=n * 10 + k) for k in range(9))
            for n in range(_MODULES)
        }
        repository.add(make_wheel(name, "1.0", files=files))
    repository.add(make_wheel(MANY, "1.0", requires=SMALL_ONES))


def _add_sixty(repository: Repository) -> None:
    first, others = SIXTY_ONES[:6], SIXTY_ONES[6:]
    for n, name in enumerate(first):
        repository.add(make_wheel(name, "1.0", requires=others[n::6]))
    for name in others:
        repository.add(make_wheel(name, "1.0"))
    repository.add(make_wheel(SIXTY, "1.0", requires=first))


def _add_plugin(repository: Repository) -> None:
    asked: Sequence[tuple[str, Provider]] = (
        ("plugin-kernels", Provider([f"{PLUGIN}>=1"], "npu_plugin")),
        ("static-kernels", Provider(static={"kind": ["b2", "b1"]})),
    )
    for name, provider in asked:
        manifest = make_manifest(_KINDS, providers={"npu": provider})
        repository.add_release(name, "1.0", _KINDS, manifest=manifest)
    repository.add(make_wheel(PLUGIN, "1.0", files={"npu_plugin.py": _PLUGIN_CODE}))
