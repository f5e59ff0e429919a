"""The zipapp holds the package and the licences of a wheel, and starts by itself."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest

from tests.lib.wheels import make_wheel
from tools.release import zipapp as module
from tools.release.errors import ReleaseError
from tools.release.zipapp import zipapp


def test_what_it_holds(tmp_path: Path) -> None:
    licence = "pip-1.dist-info/licenses/src/pip/_vendor/idna/LICENSE"
    wheel = make_wheel("pip", "1", files={licence: "free", "other/x.py": ""})
    content = zipapp(wheel.write_to(tmp_path))
    assert content.startswith(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == [
            "__main__.py",
            "licenses/src/pip/_vendor/idna/LICENSE",
            "pip/__init__.py",
        ]


def test_a_wheel_of_something_else(tmp_path: Path) -> None:
    wheel = make_wheel("demo", "1").write_to(tmp_path)
    with pytest.raises(ReleaseError, match=r"no pip in the wheel; build it anew.*demo"):
        zipapp(wheel)


@pytest.mark.parametrize("name", ["zipapp_main.py", "installer_template.py"])
def test_pythons_that_are_too_old_are_those_of_the_metadata(
    name: str, repository_root: Path
) -> None:
    pyproject = (repository_root / "pyproject.toml").read_text(encoding="utf-8")
    required = re.search(r'^requires-python = ">=3\.(\d+)"$', pyproject, re.MULTILINE)
    text = Path(module.__file__).with_name(name).read_text(encoding="utf-8")
    assert required is not None
    assert f"sys.version_info < (3, {required[1]})" in text
    assert f"needs Python 3.{required[1]} or newer" in text
