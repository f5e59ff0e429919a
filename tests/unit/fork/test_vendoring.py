"""A fork takes what it needs of libraries, and their licenses."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from fork.engine.errors import ForkError
from fork.engine.wheel import add_licenses
from tests.unit.fork.small import Tree


def test_a_header_without_license_is_refused(release_tree: Tree) -> None:
    release_tree.write("one_file.py", "# Copyright (c) Somebody.\n")
    with pytest.raises(ForkError, match="no longer in the first comment"):
        release_tree.assemble()


def test_a_library_that_lost_a_file_is_refused(release_tree: Tree) -> None:
    record = release_tree.dist_info("library") / "RECORD"
    rows = record.read_text(encoding="utf-8").splitlines(keepends=True)
    lost = "library/parts/data.json"
    kept = [row for row in rows if not row.startswith(f"{lost},")]
    record.write_text("".join(kept), encoding="utf-8")
    with pytest.raises(ForkError, match=r"library: .*is gone.*'library/parts/data"):
        release_tree.assemble()


class TestLicensesOfAWheel:
    """Licenses are added to a wheel that hatchling made."""

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
