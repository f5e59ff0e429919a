"""What guards the installation of a build that was chosen among variants."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pip._vendor.wheel_variants.manifest_parser import parse_document

from pip._internal.variants.hooks import installing
from pip._internal.variants.selection.installed import SELECTION_FILE, SELECTIONS
from pip._internal.variants.selection.installed_records import InstalledBuild
from tests.lib.manifests import PREVIEW_TORCH

WHEEL = "torch-2.8.0-py3-none-any-cu128.whl"


@pytest.fixture(autouse=True)
def chosen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Begin without any choice."""
    before = dict(SELECTIONS)
    SELECTIONS.clear()
    monkeypatch.setattr(installing, "_LABELS", {})
    yield
    SELECTIONS.clear()
    SELECTIONS.update(before)


def choose(label: str | None = "cu128") -> None:
    manifest = parse_document(PREVIEW_TORCH)
    build = InstalledBuild(label, (), manifest, ("cu128",), by_hand=True)
    installing.remember(WHEEL, build)


class Written:
    """What upstream knows of the files that it has written."""

    def __init__(self, folder: Path) -> None:
        self.lib_dir = str(folder)
        names = ("torch/lib/a.so", "torch/__init__.py", "torch/missing", "beside.py")
        self.paths = [str(folder / name) for name in names]

    def written_paths(self) -> list[str]:
        return self.paths


def recording(_wheel: object, written: Written) -> Generator[Written, None, None]:
    yield written


def install_partly(folder: Path, error: BaseException) -> list[str]:
    """Write three of four files, fail, and return what is left."""
    for name in ("torch/lib/a.so", "torch/__init__.py", "beside.py", "others/own.py"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    others = folder / "torch" / "kept"
    others.mkdir()
    (others / "users.txt").write_text("")
    steps = installing.installing_wheel(
        recording, SimpleNamespace(filename=WHEEL), Written(folder)
    )
    assert isinstance(next(steps), Written)
    with pytest.raises(type(error)):
        steps.throw(error)
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*"))


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_of_what_cannot_be_installed_nothing_is_left(
    tmp_path: Path, error: BaseException
) -> None:
    choose()
    left = install_partly(tmp_path, error)
    assert left == [
        "others",
        "others/own.py",
        "torch",
        "torch/kept",
        "torch/kept/users.txt",
    ], "what it did not write stays"


def test_of_a_plain_package_all_stays(tmp_path: Path) -> None:
    assert "torch/lib/a.so" in install_partly(tmp_path, OSError("disk full"))


class Environment:
    """An environment with one distribution."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def iter_all_distributions(self) -> Iterator[Any]:
        location = None if self.folder is None else str(self.folder)
        yield SimpleNamespace(
            canonical_name="torch", version="2.8.0", info_location=location
        )


def summary(_installed: Any, env: Any) -> str:
    dists = env.iter_all_distributions()
    return " ".join(f"{each.canonical_name}-{each.version}" for each in dists)


@pytest.mark.parametrize(
    ("label", "shown"), [("cu128", "torch-2.8.0 (cu128)"), (None, "torch-2.8.0")]
)
def test_what_was_chosen_is_recorded_and_named(
    tmp_path: Path, label: str | None, shown: str
) -> None:
    choose(label)
    assert installing.record("other.whl", str(tmp_path)) == []
    (path,) = installing.record(WHEEL, str(tmp_path))
    assert path == str(tmp_path / SELECTION_FILE)
    recorded = json.loads(Path(path).read_bytes())
    assert (recorded["label"], recorded["by-hand"]) == (label, True)
    assert installing.installed_summary(summary, [], Environment(tmp_path)) == shown
    elsewhere = installing.installed_summary(summary, [], Environment(None))
    assert elsewhere == "torch-2.8.0"
