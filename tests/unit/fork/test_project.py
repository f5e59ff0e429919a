"""What this project is made from and where it differs, with the releases themselves."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

from fork.engine.assembler import Assembly
from fork.engine.kinds import Decorate, Seam
from fork.engine.module import Module
from fork.pins import PINS
from fork.seams import SEAMS
from fork.version import VERSION


def test_the_pinned_releases_assemble(assembly: Assembly) -> None:
    files = assembly.files
    assert f'__version__ = "{VERSION}"'.encode() in files["pip/__init__.py"]
    assert b"@_variants.metadata_file\n" in files["pip/_internal/utils/wheel.py"]


def test_no_message_asks_for_reports_to_upstream(assembly: Assembly) -> None:
    """What is wrong may be the fork's; pages with advice may be named."""
    for path, data in assembly.files.items():
        if not path.startswith("pip/_internal/") or not path.endswith(".py"):
            continue
        tree = ast.parse(data)
        documents = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(
                node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
            )
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or id(node) in documents:
                continue
            text = str(node.value)
            if "pypa/pip/issues" in text:
                assert "Discussion can be found" in text or "for advice" in text, path


def test_the_license_of_nvml_is_its_header_and_no_more(assembly: Assembly) -> None:
    text = assembly.licenses["src/pip/_vendor/pynvml/LICENSE"].decode()
    assert text.startswith("Copyright (c) 2011-")
    assert text.endswith("THE POSSIBILITY OF SUCH DAMAGE.\n")
    assert "\n   * Neither the name of the NVIDIA Corporation" in text
    assert "#" not in text


def test_the_libraries_work_in_an_archive(assembly: Assembly, tmp_path: Path) -> None:
    place = tmp_path / "pip.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for path, data in assembly.files.items():
            archive.writestr(path, data)
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


def test_the_fork_names_every_seam_once() -> None:
    places = [
        (seam.file, seam.target, seam.KIND, getattr(seam, "fragment", None))
        for seam in SEAMS
    ]
    assert len(places) == len(set(places))
    assert all(seam.why.endswith(".") for seam in SEAMS)
    # One more costs work with every release of pip: simplify another hook first.
    assert len(SEAMS) <= 70


def _implementation(seam: Seam) -> tuple[str, str]:
    """Return the module, as a pattern of paths, and the name of a seam's hook."""
    module, is_elsewhere, name = seam.hook.partition(":")
    if not is_elsewhere:
        return seam.door.path, seam.hook
    path = f"{module.replace('.', '/')}.py" if module else "variants/*/__init__.py"
    return f"pip/_internal/{path}", name


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
    named = {_implementation(seam) for seam in SEAMS if isinstance(seam, Decorate)}
    for pattern, name in named:
        assert any(fnmatch(path, pattern) for path, each in found if each == name)
    # One of the same name passes the rest on.
    names = {_implementation(seam)[1] for seam in SEAMS}
    assert {name for _, name in found} <= names
    rooms = ("variants/hooks/", "variants/*/__init__.py", "variants/seams.py", "fast/")
    places = tuple(f"pip/_internal/{each}" for each in rooms)
    assert all(path.startswith((*places, "pip/_vendor/")) for path, _ in named)


def test_pins_are_the_build_requirements(repository_root: Path) -> None:
    text = (repository_root / "pyproject.toml").read_text(encoding="utf-8")
    requires = text.partition("requires = [")[2].partition("]")[0]
    pins = [f'"{pin.requirement}",' for pin in PINS]
    assert requires.split()[1:] == pins
