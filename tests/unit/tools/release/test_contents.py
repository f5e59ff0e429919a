"""Each file of the wheel belongs to somebody who is known."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from fork.engine.releases import Pin
from tests.lib.wheels import make_wheel
from tools.release.contents import Contents, Origins, contents
from tools.release.errors import ReleaseError
from tools.release.licences import LICENCES, undeclared

LISTED = {
    "components": [
        {"name": "pip", "type": "library"},
        {"name": "CacheControl", "version": "1.1", "purl": "pkg:pypi/CacheControl@1.1"},
        {"name": "setuptools", "version": "70", "purl": "pkg:pypi/setuptools@70"},
    ]
}
LICENSES = "pip-26.3+variants.1.dist-info/licenses"
FILES = {
    "pip/_internal/seamed.py": "edited",
    "pip/_internal/new.py": "the fork's",
    "pip/_vendor/__init__.py": "",
    "pip/_vendor/bom.cdx.json": json.dumps(LISTED),
    "pip/_vendor/cachecontrol/a.py": "",
    "pip/_vendor/cachecontrol/_variants.py": "the fork's too",
    "pip/_vendor/pkg_resources/__init__.py": "",
    "pip/_vendor/pynvml.py": "",
    "pip/_vendor/archspec/__init__.py": "",
    "pip/_vendor/archspec/vendor/cpuid/cpuid.py": "",
    f"{LICENSES}/LICENSE": "",
    f"{LICENSES}/LICENSE.txt": "",
    f"{LICENSES}/src/pip/_vendor/cachecontrol/LICENSE": "",
    f"{LICENSES}/src/pip/_vendor/pynvml/LICENSE": "",
}
ORIGINS = Origins(
    "26.3+variants.1",
    Pin("pip", "26.3", ("pip/",)),
    (
        Pin("nvidia-ml-py", "13", ("pynvml.py",)),
        Pin("archspec", "0.2", ("archspec/",)),
    ),
    frozenset({"pip/_internal/new.py", "pip/_vendor/cachecontrol/_variants.py"}),
    frozenset({"pip/_internal/seamed.py"}),
)


def read(folder: Path, files: dict[str, str], origins: Origins = ORIGINS) -> Contents:
    """Return the contents of a wheel with these files."""
    wheel = make_wheel("pip", "26.3+variants.1", files=files)
    return contents(wheel.write_to(folder), origins)


def test_whose_each_file_is(tmp_path: Path) -> None:
    found = read(tmp_path, FILES)
    assert set(found.fork.files) == {
        "pip/_internal/new.py",
        "pip/_vendor/cachecontrol/_variants.py",
        f"{LICENSES}/LICENSE",
        *(
            f"pip-26.3+variants.1.dist-info/{n}"
            for n in ("METADATA", "RECORD", "WHEEL")
        ),
    }
    assert set(found.upstream.files) == {
        "pip/__init__.py",
        "pip/_internal/seamed.py",
        "pip/_vendor/__init__.py",
        "pip/_vendor/bom.cdx.json",
        f"{LICENSES}/LICENSE.txt",
    }
    cachecontrol, setuptools = found.upstream.parts
    assert cachecontrol.purl == "pkg:pypi/cachecontrol@1.1"
    assert set(cachecontrol.files) == {
        "pip/_vendor/cachecontrol/a.py",
        f"{LICENSES}/src/pip/_vendor/cachecontrol/LICENSE",
    }
    assert set(setuptools.files) == {"pip/_vendor/pkg_resources/__init__.py"}
    nvidia, archspec = found.libraries
    assert set(nvidia.files) == {
        "pip/_vendor/pynvml.py",
        f"{LICENSES}/src/pip/_vendor/pynvml/LICENSE",
    }
    assert set(archspec.files) == {"pip/_vendor/archspec/__init__.py"}
    (cpuid,) = archspec.parts
    assert set(cpuid.files) == {"pip/_vendor/archspec/vendor/cpuid/cpuid.py"}


def test_digests(tmp_path: Path) -> None:
    found = read(tmp_path, FILES)
    (wheel,) = tmp_path.iterdir()
    assert found.digest == hashlib.sha256(wheel.read_bytes()).hexdigest()
    expected = hashlib.sha256(b"edited").hexdigest()
    assert found.upstream.files["pip/_internal/seamed.py"] == expected


def without(*paths: str) -> dict[str, str]:
    """Return the files less some."""
    return {path: text for path, text in FILES.items() if path not in paths}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            without("pip/_internal/new.py"),
            "not made from this working tree.*lacks 1 files, such as .*new",
        ),
        (without("pip/_vendor/bom.cdx.json"), "no longer lists what it vendors"),
        (without("pip/_vendor/pkg_resources/__init__.py"), "setuptools has no files"),
        ({**FILES, "pip/_vendor/novelty/x.py": ""}, "nobody knows whose this is"),
        (
            {
                **FILES,
                "pip/_vendor/bom.cdx.json": json.dumps(
                    {
                        "components": [
                            {"name": "novelty", "version": "1", "purl": "pkg:x"}
                        ]
                    }
                ),
            },
            "novelty is new in the wheel. Read its licence",
        ),
    ],
)
def test_what_nobody_has_looked_at(
    files: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ReleaseError, match=message):
        read(tmp_path, files)


def test_all_licences_are_declared(repository_root: Path) -> None:
    text = (repository_root / "pyproject.toml").read_text(encoding="utf-8")
    declared = tomllib.loads(text)["project"]["license"]
    assert undeclared(LICENCES.values(), declared) == []
    assert undeclared(["MIT", "GPL-3.0-only"], declared) == ["GPL-3.0-only"]
