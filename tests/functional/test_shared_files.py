"""Files that two wheels install with different contents."""

from __future__ import annotations

import pytest

from tests.lib.environments import Environment
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel


@pytest.mark.parametrize("is_fast", [True, False])
def test_they_are_named_once(
    venv: Environment, index: IndexServer, is_fast: bool
) -> None:
    """Stock pip does not name them, and neither does ``--no-fast``."""
    same = {"vision/__init__.py": "", "vision/data.txt": "same"}
    one = {**same, "vision/core.py": "a = 1\n", "vision/more.py": "a = 1\n"}
    two = {**same, "vision/core.py": "a = 2\n"}
    two["two-1.0.data/purelib/vision/more.py"] = "a = 2\n"
    index.add(make_wheel("one", "1.0", files=one))
    index.add(make_wheel("two", "1.0", files=two))
    index.add(make_wheel("three", "1.0", files=same))
    given = ["-i", index.index_url, *([] if is_fast else ["--no-fast"])]
    result = venv.pip("install", "one", "two", "three", *given)
    text = " ".join(result.stderr.split())
    assert text.count("both install") == is_fast
    named = "two and one both install 'vision/core.py' and 1 more file with" in text
    assert named == is_fast
    assert venv.installed().keys() >= {"one", "two", "three"}


def test_schemes_and_names_of_their_own(venv: Environment, index: IndexServer) -> None:
    """Headers have a folder per project, and a package may be called scripts."""
    for name in ("one", "two"):
        files = {
            f"{name}-1.0.data/headers/h.h": name,
            f"{name}-1.0.data/data/share/{name}.txt": name,
        }
        if name == "one":
            files["scripts/tool"] = name
        else:
            files["two-1.0.data/scripts/tool"] = name
        index.add(make_wheel(name, "1.0", files=files))
    result = venv.pip("install", "one", "two", "-i", index.index_url)
    assert "both install" not in result.output
