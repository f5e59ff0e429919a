"""Pages that are read fast lead to what they lead to with ``--no-fast``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pytest

from tests.lib.environments import Environment
from tests.lib.index import IndexServer
from tests.lib.manifests import make_manifest
from tests.lib.wheels import make_sdist, make_wheel

_DRY = ("install", "--dry-run", "--quiet", "--report", "-")
_COMMANDS: Sequence[Sequence[str]] = [
    (*_DRY, "thing"),
    (*_DRY, "thing<2"),
    (*_DRY, "--pre", "thing"),
    (*_DRY, "--ignore-requires-python", "thing"),
    (*_DRY, "--uploaded-prior-to", "2026-02-01", "thing"),
    (*_DRY, "--no-variants", "variant"),
    (*_DRY, "variant"),
    ("install", "--dry-run", "-vv", "thing"),
    ("install", "--dry-run", "thing==7"),
    ("install", "--dry-run", "thing==4"),
    ("install", "--dry-run", "--only-binary", ":all:", "source"),
    ("install", "--dry-run", "foreign"),
    ("install", "--dry-run", "variant==9"),
    ("index", "versions", "thing"),
    ("index", "versions", "foreign"),
    ("lock", "-o", "-", "thing"),
    ("download", "--only-binary", ":all:", "--platform", "win_amd64", "thing"),
    ("download", "--only-binary", ":all:", "--abi", "cp27m", "--python-version", "2.7")
    + ("--implementation", "cp", "thing"),
]


@pytest.fixture
def filled(index: IndexServer) -> IndexServer:
    """Return an index with projects that have files for other machines."""
    for version in ("1.0", "2.0", "3.0a1", "3.0"):
        tags = [
            "cp27-cp27m-win_amd64",
            "py3-none-win_amd64",
            "py3-none-macosx_11_0_arm64",
        ]
        if version != "3.0":
            tags.append("py3-none-any")
        for tag in tags:
            file = make_wheel("thing", version, tag=tag)
            index.add(file, upload_time=f"2026-0{version[0]}-01T00:00:00Z")
    index.add(
        make_wheel("thing", "4"),
        requires_python="<3",
        upload_time="2026-04-01T00:00:00Z",
    )
    index.add(
        make_wheel("thing", "5"), yanked="broken", upload_time="2026-05-01T00:00:00Z"
    )
    index.add(make_sdist("source", "1.0"))
    for name in ("foreign", "source"):
        index.add(make_wheel(name, "1.0", tag="py3-none-win_amd64"))
    manifest = make_manifest({"null": {}})
    index.add_release("variant", "1.0", {"null": {}}, manifest=manifest)
    index.add(make_wheel("variant", "9", tag="py3-none-win_amd64"))
    return index


@pytest.mark.parametrize("page_format", ["json", "html"])
@pytest.mark.parametrize("arguments", _COMMANDS, ids=" ".join)
def test_outcome_and_requests(
    venv: Environment,
    filled: IndexServer,
    arguments: Sequence[str],
    page_format: Literal["html", "json"],
) -> None:
    filled.page_format = page_format
    seen = []
    for more in ((), ("--no-fast",)):
        filled.clear_log()
        result = venv.pip(
            *arguments, *more, "--no-cache-dir", "-i", filled.index_url, code=None
        )
        said = [line for line in result.output.splitlines() if "pip-" not in line]
        seen.append((result.returncode, said, filled.log()))
        for file in venv.work.glob("*.whl"):
            file.unlink()
    assert seen[0] == seen[1]
