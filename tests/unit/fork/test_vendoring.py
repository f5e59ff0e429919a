"""The vendored libraries come with what they need at run time, and their licences."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fork.assembler import Assembly
from fork.errors import ForkError
from fork.wheel import add_licenses
from tests.unit.fork.planting import Tree


@pytest.fixture
def assembly(tree: Tree) -> Assembly:
    return tree.assemble()


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


def test_a_header_without_licence_is_refused(release_tree: Tree) -> None:
    path = release_tree.folder / "pynvml.py"
    text = path.read_text(encoding="utf-8")
    release_tree.write("pynvml.py", text.partition("\n\n")[2])
    with pytest.raises(ForkError, match="no longer in the first comment"):
        release_tree.assemble()


def test_a_library_that_lost_a_file_is_refused(release_tree: Tree) -> None:
    record = release_tree.dist_info("archspec") / "RECORD"
    rows = record.read_text(encoding="utf-8").splitlines()
    kept = [row for row in rows if not row.startswith("archspec/cpu/alias.py,")]
    record.write_text("\n".join(kept) + "\n", encoding="utf-8")
    with pytest.raises(ForkError, match=r"is gone.*'archspec/cpu/alias\.py'"):
        release_tree.assemble()


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


class TestLicensesOfAWheel:
    """Licences are added to a wheel that hatchling made."""

    def test_they_are_listed_and_recorded(self, tmp_path: Path) -> None:
        wheel = tmp_path / "p-1-py3-none-any.whl"
        entries = {
            "p/__init__.py": "",
            "p-1.dist-info/METADATA": "Name: p\nLicense-File: LICENSE\nKeywords: k\n\n"
            "License-File: body\n",
            "p-1.dist-info/licenses/LICENSE": "ours",
            "p-1.dist-info/RECORD": "stale",
        }
        with zipfile.ZipFile(wheel, "w") as archive:
            for path, text in entries.items():
                archive.writestr(path, text)
        add_licenses(wheel, {"b/LICENSE": b"b", "AUTHORS": b"a"})
        with zipfile.ZipFile(wheel) as archive:
            assert archive.namelist() == [
                *list(entries)[:-1],
                "p-1.dist-info/licenses/AUTHORS",
                "p-1.dist-info/licenses/b/LICENSE",
                "p-1.dist-info/RECORD",
            ]
            metadata = archive.read("p-1.dist-info/METADATA").decode()
            record = archive.read("p-1.dist-info/RECORD").decode()
        assert metadata == (
            "Name: p\nLicense-File: AUTHORS\nLicense-File: LICENSE\n"
            "License-File: b/LICENSE\nKeywords: k\n\nLicense-File: body\n"
        )
        assert record.splitlines()[0].startswith(
            "p/__init__.py,sha256=47DEQpj8HBSa-_TI"
        )
        assert "p-1.dist-info/licenses/b/LICENSE,sha256=" in record
        assert record.endswith("\np-1.dist-info/RECORD,,\n")
