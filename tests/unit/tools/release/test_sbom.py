"""The bill of materials says what there is, always in the same words."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tools.release.contents import Contents, Part
from tools.release.errors import ReleaseError

pytest.importorskip("cyclonedx", reason="the library for CycloneDX is not installed")

from tools.release.sbom import check, sbom

ONE, TWO = "1" * 64, "2" * 64
EDITED = "pip/_internal/build_env.py"
CONTENTS = Contents(
    fork=Part("pip-variants", "26.3+variants.1", "MIT", None, {"pip/new.py": ONE}),
    upstream=Part(
        *("pip", "26.3", "MIT", "pkg:pypi/pip@26.3"),
        {EDITED: ONE, "pip/__init__.py": TWO},
        [Part("idna", "3.20", "BSD-3-Clause", "pkg:pypi/idna@3.20", {"i.py": ONE})],
    ),
    libraries=(
        Part(
            *("archspec", "0.2.7", "Apache-2.0 OR MIT", "pkg:pypi/archspec@0.2.7"),
            {"a.py": ONE},
            [Part("cpuid", None, "MIT", None, {"c.py": TWO})],
        ),
    ),
    edited=frozenset({EDITED}),
    digest=ONE,
)
WHEEL = "pip-26.3+variants.1-py3-none-any.whl"


@pytest.fixture(autouse=True)
def _no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)


def document(contents: Contents = CONTENTS) -> Any:
    """Return the bill of a wheel as JSON has it."""
    return json.loads(sbom(contents, WHEEL, "MIT AND BSD-3-Clause"))


def named(bill: Any, name: str) -> Any:
    """Return a component."""
    (found,) = (each for each in bill["components"] if each["name"] == name)
    return found


def test_what_it_says_of_the_wheel() -> None:
    whole = document()["metadata"]["component"]
    assert whole["hashes"] == [{"alg": "SHA-256", "content": ONE}]
    assert whole["licenses"] == [{"expression": "MIT AND BSD-3-Clause"}]
    # Not of the type "pypi": there is none there.
    assert whole["purl"].startswith("pkg:generic/pip@26.3%2Bvariants.1?")
    (ancestor,) = whole["pedigree"]["ancestors"]
    assert ancestor["purl"] == "pkg:pypi/pip@26.3"


def test_what_it_says_of_libraries() -> None:
    bill = document()
    idna = named(bill, "idna")
    assert (idna["version"], idna["purl"]) == ("3.20", "pkg:pypi/idna@3.20")
    assert idna["licenses"] == [{"expression": "BSD-3-Clause"}]
    (file,) = idna["components"]
    assert (file["name"], file["type"]) == ("i.py", "file")
    assert file["hashes"] == [{"alg": "SHA-256", "content": ONE}]
    inner = [each["name"] for each in named(bill, "archspec")["components"]]
    assert sorted(inner) == ["a.py", "cpuid"]


def test_files_of_upstream_that_are_not_as_they_were_published() -> None:
    files = {each["name"]: each for each in named(document(), "pip")["components"]}
    assert files[EDITED]["properties"][0]["name"] == "pip-variants:edited"
    assert "properties" not in files["pip/__init__.py"]


def test_who_needs_whom() -> None:
    needs = {each["ref"]: each.get("dependsOn") for each in document()["dependencies"]}
    assert needs[WHEEL] == ["pip-variants"]
    assert needs["pip-variants"] == ["pkg:pypi/archspec@0.2.7", "pkg:pypi/pip@26.3"]
    assert needs["pkg:pypi/pip@26.3"] == ["pkg:pypi/idna@3.20"]


def test_the_same_wheel_gives_the_same_bytes() -> None:
    assert sbom(CONTENTS, WHEEL, "MIT") == sbom(CONTENTS, WHEEL, "MIT")
    first, other = document(), document(replace(CONTENTS, digest=TWO))
    assert first["serialNumber"] != other["serialNumber"]
    assert "timestamp" not in first["metadata"]


def test_its_time_is_the_one_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")
    assert document()["metadata"]["timestamp"] == "2020-09-13T12:26:40+00:00"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    with pytest.raises(ReleaseError, match="must be a whole number of seconds"):
        document()


def test_it_is_of_the_official_form() -> None:
    check(sbom(CONTENTS, WHEEL, "MIT"))
    with pytest.raises(ReleaseError, match=r"not CycloneDX 1\.6: .*zz"):
        check(sbom(replace(CONTENTS, digest="zz"), WHEEL, "MIT"))
