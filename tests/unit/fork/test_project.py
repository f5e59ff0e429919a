"""What this project is made from and where it differs, with the releases themselves."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest

from fork.engine.assembler import Assembly, record
from fork.engine.kinds import Decorate
from fork.engine.module import Module
from fork.engine.recorded import save
from fork.pins import HOW_TO_GET, PINS
from fork.project import PROJECT
from fork.seams import SEAMS
from fork.version import VERSION


def test_the_pinned_releases_assemble(assembly: Assembly) -> None:
    files = assembly.files
    assert f'__version__ = "{VERSION}"'.encode() in files["pip/__init__.py"]
    assert b"@_variants.metadata_file\n" in files["pip/_internal/utils/wheel.py"]


def test_there_are_few_seams() -> None:
    """One more seam costs work with every release of pip: simplify another hook first."""
    assert len(SEAMS) <= 72


def test_only_what_runs_is_vendored(assembly: Assembly) -> None:
    vendored = {
        path.removeprefix("pip/_vendor/")
        for path in assembly.files
        if path.startswith(("pip/_vendor/archspec/", "pip/_vendor/pynvml"))
    }
    assert vendored == {
        "archspec/__init__.py",
        "archspec/cpu/__init__.py",
        "archspec/cpu/alias.py",
        "archspec/cpu/detect.py",
        "archspec/cpu/microarchitecture.py",
        "archspec/cpu/schema.py",
        "archspec/json/cpu/cpuid.json",
        "archspec/json/cpu/microarchitectures.json",
        "archspec/vendor/__init__.py",
        "archspec/vendor/cpuid/__init__.py",
        "archspec/vendor/cpuid/cpuid.py",
        "pynvml.py",
    }


def test_every_licence_is_there(assembly: Assembly) -> None:
    vendor = "src/pip/_vendor"
    assert {"LICENSE.txt", "AUTHORS.txt", f"{vendor}/rich/LICENSE"} < set(
        assembly.licenses
    )
    ours = {path for path in assembly.licenses if "archspec" in path or "nvml" in path}
    assert ours == {
        f"{vendor}/archspec/LICENSE-APACHE",
        f"{vendor}/archspec/LICENSE-MIT",
        f"{vendor}/archspec/NOTICE",
        f"{vendor}/archspec/json/COPYRIGHT",
        f"{vendor}/archspec/json/LICENSE-APACHE",
        f"{vendor}/archspec/json/LICENSE-MIT",
        f"{vendor}/archspec/json/NOTICE",
        f"{vendor}/archspec/vendor/cpuid/LICENSE",
        f"{vendor}/pynvml/LICENSE",
    }


def test_the_licence_of_nvml_is_its_header_and_no_more(assembly: Assembly) -> None:
    text = assembly.licenses["src/pip/_vendor/pynvml/LICENSE"].decode()
    assert text.startswith("Copyright (c) 2011-")
    assert text.endswith("THE POSSIBILITY OF SUCH DAMAGE.\n")
    assert "\n   * Neither the name of the NVIDIA Corporation" in text
    assert "#" not in text


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "folder"])
def test_the_libraries_work_where_they_are_vendored(
    assembly: Assembly, tmp_path: Path, zipped: bool
) -> None:
    place = tmp_path / "pip.zip"
    if zipped:
        with zipfile.ZipFile(place, "w") as archive:
            for path, data in assembly.files.items():
                archive.writestr(path, data)
    else:
        for path, data in assembly.files.items():
            target = place / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    code = (
        "import sys; sys.path[:0] = ['pip.zip']\n"
        "from pip._vendor import pynvml\n"
        "from pip._vendor.archspec.cpu import TARGETS, host\n"
        "import json, pip\n"
        "v3 = TARGETS['x86_64_v3']\n"
        "print(json.dumps([pip.__file__, 'avx2' in v3, bool(host().name),\n"
        "                  pynvml.NVML_SUCCESS]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    file, *rest = json.loads(done.stdout)
    assert Path(tmp_path, file) == place / "pip" / "__init__.py"
    assert rest == [True, True, 0]


def test_recorded_values_are_those_of_the_pinned_releases(
    pinned: Path, tmp_path: Path
) -> None:
    path = tmp_path / "recorded.json"
    save(record(PROJECT, PROJECT.read(pinned)), path)
    assert path.read_bytes() == PROJECT.recorded.read_bytes()


def test_the_fork_names_every_seam_once() -> None:
    places = [
        (seam.file, seam.target, seam.KIND, getattr(seam, "fragment", None))
        for seam in SEAMS
    ]
    assert len(places) == len(set(places))
    assert all(seam.why.endswith(".") for seam in SEAMS)
    assert len({(seam.file, seam.why) for seam in SEAMS}) <= 69


def test_what_upstream_calls_is_named_by_a_seam(repository_root: Path) -> None:
    """A public function whose first parameter is ``fn`` stands around another one."""
    source = repository_root / "src"
    found = {
        (file.relative_to(source).as_posix(), node.name)
        for file in source.rglob("*.py")
        for node in Module(file.name, file.read_bytes()).tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if [each.arg for each in node.args.args][:1] == ["fn"]
    }
    named = {seam.implementation for seam in SEAMS if isinstance(seam, Decorate)}
    for pattern, name in named:
        assert any(fnmatch(path, pattern) for path, each in found if each == name)
    # One of the same name passes the rest on.
    names = {seam.implementation[1] for seam in SEAMS}
    assert {name for _, name in found} <= names
    rooms = (
        "variants/hooks/",
        "variants/*/__init__.py",
        "variants/seams.py",
        "fast/",
    )
    places = tuple(f"pip/_internal/{each}" for each in rooms)
    assert all(path.startswith((*places, "pip/_vendor/")) for path, _ in named)


def test_pins_are_the_build_requirements(repository_root: Path) -> None:
    text = (repository_root / "pyproject.toml").read_text(encoding="utf-8")
    requires = text.partition("requires = [")[2].partition("]")[0]
    pins = [f'"{pin.requirement}",' for pin in PINS]
    assert requires.split()[1:] == pins


def test_how_to_get_the_releases() -> None:
    assert (
        "python -m pip install --target DIR 'pip===26.3' 'nvidia-ml-py===13.615.71' "
        "'archspec===0.2.7'"
    ) in HOW_TO_GET


def test_a_fork_of_it_is_known() -> None:
    assert PROJECT.upstream.fork in VERSION
    assert PROJECT.upstream.fork not in PROJECT.upstream.version
