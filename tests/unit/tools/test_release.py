"""The parts of a release hold what they must, and always the same."""

from __future__ import annotations

import base64
import io
import json
import re
import runpy
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from fork.engine.releases import Pin
from tests.lib.wheels import make_wheel
from tools.release.contents import LICENSES, Origins, Part, contents
from tools.release.errors import ReleaseError
from tools.release.installer import installer
from tools.release.news import check_tag, notes
from tools.release.zipapp import zipapp

LISTED = {
    "components": [
        {"name": "pip", "type": "library"},
        {"name": "CacheControl", "version": "1.1", "purl": "pkg:pypi/CacheControl@1.1"},
        {"name": "setuptools", "version": "70", "purl": "pkg:pypi/setuptools@70"},
    ]
}
DIST_INFO = "pip-26.3+variants.1.dist-info"
#: Whose each file of a wheel is.
OWNERS = {
    "pip/__init__.py": "pip",
    "pip/_internal/seamed.py": "pip",
    "pip/_internal/new.py": "pip-variants",
    "pip/_vendor/__init__.py": "pip",
    "pip/_vendor/bom.cdx.json": "pip",
    "pip/_vendor/cachecontrol/a.py": "cachecontrol",
    "pip/_vendor/cachecontrol/_variants.py": "pip-variants",
    "pip/_vendor/pkg_resources/__init__.py": "setuptools",
    "pip/_vendor/pynvml.py": "nvidia-ml-py",
    "pip/_vendor/archspec/__init__.py": "archspec",
    "pip/_vendor/archspec/vendor/cpuid/cpuid.py": "cpuid",
    f"{DIST_INFO}/licenses/LICENSE": "pip-variants",
    f"{DIST_INFO}/licenses/LICENSE.txt": "pip",
    f"{DIST_INFO}/licenses/src/pip/_vendor/cachecontrol/LICENSE": "cachecontrol",
    f"{DIST_INFO}/licenses/src/pip/_vendor/pynvml/LICENSE": "nvidia-ml-py",
    **{
        f"{DIST_INFO}/{name}": "pip-variants"
        for name in ("METADATA", "WHEEL", "RECORD")
    },
}
ORIGINS = Origins(
    "26.3+variants.1",
    Pin("pip", "26.3", "", ("pip/",)),
    (
        Pin("nvidia-ml-py", "13", "", ("pynvml.py",)),
        Pin("archspec", "0.2", "", ("archspec/",)),
    ),
    frozenset({"pip/_internal/new.py", "pip/_vendor/cachecontrol/_variants.py"}),
)


def fork_wheel(
    folder: Path, listed: Any = LISTED, without: str = "", **more: str
) -> Path:
    """Return a wheel with these files."""
    made = ("/METADATA", "/WHEEL", "/RECORD")
    files = {p: "" for p in OWNERS if p != without and not p.endswith(made)}
    files |= {"pip/_vendor/bom.cdx.json": json.dumps(listed), **more}
    metadata = ["License-Expression: MIT AND ISC"]
    wheel = make_wheel("pip", "26.3+variants.1", files=files, metadata=metadata)
    return wheel.write_to(folder)


def walk(part: Part) -> dict[str, Part]:
    """Return a part and all below it, by name."""
    return {part.name: part} | {
        name: each for inner in part.parts for name, each in walk(inner).items()
    }


def test_whose_each_file_is(tmp_path: Path) -> None:
    parts = walk(contents(fork_wheel(tmp_path), ORIGINS))
    found = {path: name for name, part in parts.items() for path in part.files}
    assert found == OWNERS
    assert parts["cachecontrol"].purl == "pkg:pypi/cachecontrol@1.1"


NOVELTY = {"components": [{"name": "novelty", "version": "1", "purl": "pkg:x"}]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"without": "pip/_vendor/pkg_resources/__init__.py"},
            "setuptools has no file",
        ),
        ({"pip/_vendor/novelty/x.py": ""}, "file of an unknown part"),
        ({"listed": NOVELTY}, "novelty is new in the wheel. Read its license"),
    ],
)
def test_what_nobody_has_looked_at(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ReleaseError, match=message):
        contents(fork_wheel(tmp_path, **changes), ORIGINS)


def test_all_licenses_are_declared(repository_root: Path) -> None:
    text = (repository_root / "pyproject.toml").read_text(encoding="utf-8")
    declared = tomllib.loads(text)["project"]["license"].split(" AND ")
    assert {f"({each})" if " OR " in each else each for each in LICENSES.values()} <= {
        *declared
    }


def test_the_bill_of_materials(tmp_path: Path) -> None:
    pytest.importorskip(
        "cyclonedx", reason="the library for CycloneDX is not installed"
    )
    from tools.release.sbom import sbom

    wheel = fork_wheel(tmp_path)
    parts, edited = contents(wheel, ORIGINS), {"pip/_internal/seamed.py"}
    text = sbom(parts, wheel, edited)
    assert text == sbom(parts, wheel, edited)
    bill = json.loads(text)
    assert "timestamp" not in bill["metadata"]
    whole = bill["metadata"]["component"]
    assert whole["licenses"] == [{"expression": "MIT AND ISC"}]
    # Not of the type "pypi": there is none there.
    assert whole["purl"].startswith("pkg:generic/pip@26.3%2Bvariants.1?")
    assert whole["pedigree"]["ancestors"][0]["purl"] == "pkg:pypi/pip@26.3"
    named = {each["name"]: each for each in bill["components"]}
    assert named.keys() == walk(parts).keys()
    assert named["archspec"]["licenses"] == [{"expression": "Apache-2.0 OR MIT"}]
    files = {each["name"]: each for each in named["pip"]["components"]}
    assert files.keys() == parts.parts[0].files.keys()
    assert files[edited.pop()]["properties"][0]["name"] == "pip-variants:edited"
    assert "properties" not in files["pip/__init__.py"]
    needs = {each["ref"]: each.get("dependsOn") for each in bill["dependencies"]}
    assert needs[wheel.name] == ["pip-variants"]
    assert "pkg:pypi/pip@26.3" in needs["pip-variants"]
    assert needs["pkg:pypi/archspec@0.2"] == ["cpuid"]


def executed(script: bytes, folder: Path) -> dict[str, Any]:
    """Return what a script defines, without running it as a program."""
    path = folder / "script.py"
    path.write_bytes(script)
    return runpy.run_path(str(path))


def test_the_installer_holds_the_wheel_as_it_is(tmp_path: Path) -> None:
    wheel = make_wheel("pip-variants", "1").write_to(tmp_path)
    script = installer(wheel)
    assert script == installer(wheel)
    encoded = executed(script, tmp_path)["WHEEL"]
    assert base64.b85decode("".join(encoded.split())) == wheel.read_bytes()
    assert max(map(len, script.splitlines())) <= 100


@pytest.mark.parametrize("damage", ["another letter", "a line less", "no letter of it"])
def test_the_installer_refuses_what_it_was_not_made_with(
    damage: str, tmp_path: Path
) -> None:
    script = installer(make_wheel("pip-variants", "1").write_to(tmp_path))
    lines = script.splitlines(keepends=True)
    first = lines.index(b'WHEEL = """\n') + 1
    letter = b"A" if lines[first][:1] == b"B" else b"B"
    if damage == "another letter":
        lines[first] = letter + lines[first][1:]
    elif damage == "a line less":
        del lines[first]
    else:
        lines[first] = b"'" + lines[first][1:]
    message = executed(b"".join(lines), tmp_path)["main"]()
    assert "error: this file is damaged" in message
    assert "Nothing was changed" in message


NEWS = """\
# News

## 0.2.0 (2027-01-01)

### Features

- A thing.

## 0.1.0 (2026-11-22)

All of it.
"""


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.2.0", "### Features\n\n- A thing.\n"),
        ("0.1.0", "All of it.\n"),
        ("0.1", None),
    ],
)
def test_notes_of_a_release(version: str, expected: str | None) -> None:
    assert notes(NEWS, version) == expected


def test_only_the_tag_of_what_is_released_will_do(tmp_path: Path) -> None:
    (tmp_path / "NEWS.md").write_text(NEWS, encoding="utf-8")
    (tmp_path / "news").mkdir()
    check_tag("v0.2.0", "0.2.0", tmp_path)
    for tag in ("0.2.0", "v0.2", "v0.3.0"):
        with pytest.raises(
            ReleaseError, match=r"the tag must be 'v0\.2\.0'. Change the"
        ):
            check_tag(tag, "0.2.0", tmp_path)
    with pytest.raises(ReleaseError, match=r"NEWS\.md says nothing of 0\.3\.0. Run: "):
        check_tag("v0.3.0", "0.3.0", tmp_path)
    (tmp_path / "news" / "thing.feature.rst").write_text("A thing.\n", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"NEWS\.md lacks \(thing\.feature\.rst"):
        check_tag("v0.2.0", "0.2.0", tmp_path)


def test_what_the_zipapp_holds(tmp_path: Path) -> None:
    path = "pip-1.dist-info/licenses/src/pip/_vendor/idna/LICENSE"
    wheel = make_wheel("pip", "1", files={path: "free", "other/x.py": ""})
    content = zipapp(wheel.write_to(tmp_path))
    assert content.startswith(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == [
            "__main__.py",
            "licenses/src/pip/_vendor/idna/LICENSE",
            "pip/__init__.py",
        ]
        for info in archive.infolist():
            assert info.date_time == (2020, 2, 2, 0, 0, 0)
            assert (info.create_system, info.external_attr >> 16) == (3, 0o100644)
    wheel = make_wheel("demo", "1")
    with pytest.raises(ReleaseError, match=r"no pip in the wheel; build it anew.*demo"):
        zipapp(wheel.write_to(tmp_path))


@pytest.mark.parametrize("name", ["zipapp_main.py", "installer_template.py"])
def test_pythons_that_are_too_old_are_those_of_the_metadata(
    name: str, repository_root: Path
) -> None:
    pyproject = (repository_root / "pyproject.toml").read_text(encoding="utf-8")
    required = re.search(r'^requires-python = ">=3\.(\d+)"$', pyproject, re.MULTILINE)
    text = (repository_root / "tools" / "release" / name).read_text(encoding="utf-8")
    assert required is not None
    assert f"sys.version_info < (3, {required[1]})" in text
    assert f"needs Python 3.{required[1]} or newer" in text
