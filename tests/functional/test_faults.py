"""Servers that fail in every way: the variants are lost at most, and it is said."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.fault_cells import KINDS, Cell, add_packages, run_cells
from tests.lib.faults import FAULTS
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda, make_manifest

pytestmark = pytest.mark.process

Start = Callable[[], IndexServer]

#: By kind of request and by fault: what is chosen then, and what the user is told.
OUTCOMES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "manifest": {
        # It is not there, so the wheels are read.
        "404": ("gpu", ""),
        "503 once": ("gpu", ""),
        "truncated once": ("gpu", ""),
        # It cannot be had, so there is no choosing.
        "403": ("plain", "the server answered 403 Forbidden ("),
        "500": ("plain", "too many 500 error responses (http://"),
        "a part for the whole": ("plain", "the server answered 206 Partial Content ("),
        "redirect in a circle": ("plain", "Exceeded 30 redirects"),
        "redirect to nowhere": ("plain", "cannot be used: Invalid IPv6 URL ("),
        "redirect to a file": ("plain", "Not following redirect"),
        "truncated": ("plain", "the connection broke before the end"),
        "length too short": ("plain", "its hash does not match the one on the index"),
        "stalled": ("plain", "didn't respond within 2.0 seconds"),
        "stalled in the body": ("plain", "the server stopped sending before the end"),
    },
    "head": {
        "503 once": ("gpu", ""),
        "403": ("null", "-gpu.whl cannot be read: the server answered 403"),
        "reset": ("null", "cannot be read: the connection was closed without a reply"),
        "redirect to nowhere": ("null", "cannot be read: Invalid IPv6 URL"),
        "no length": ("null", "its server does not support range requests"),
        "length is no number": ("null", "its server does not support range requests"),
    },
    "range": {
        "503 once": ("gpu", ""),
        "truncated once": ("gpu", ""),
        "404": ("null", "-gpu.whl cannot be read: the server answered 404"),
        "reset in the body": ("null", "the connection broke before the end"),
        "stalled": ("null", "didn't respond within 2.0 seconds"),
        "whole for a part": ("null", "its server does not support range requests"),
        "another part": ("null", "its server does not support range requests"),
        "other bytes": ("null", "its server sends more than pip requested"),
    },
    "provider page": {
        "503 once": ("npu1", ""),
        "404": ("plain", "No matching distribution found for npu-provider"),
        "redirect to nowhere": ("plain", "installed: Invalid IPv6 URL"),
        "an error page": ("plain", "cannot be installed: "),
    },
    "provider metadata": {
        "503": ("plain", "too many 503 error responses"),
        "reset": ("plain", "installed: the connection was closed without a reply"),
        "length is no number": ("npu1", ""),
        "other bytes": ("plain", "DO NOT MATCH THE HASHES"),
    },
    "provider wheel": {
        "truncated once": ("npu1", ""),
        "redirect to nowhere": ("plain", "installed: Invalid IPv6 URL"),
        "other bytes": ("plain", "DO NOT MATCH THE HASHES"),
    },
}


def assert_told(cell: Cell) -> None:
    """Assert that pip says what the user loses, in its own manner."""
    assert cell.result.returncode == 0, cell
    assert not cell.traced, cell
    lost = cell.selected not in ("gpu", "npu1")
    warnings = [
        line
        for line in cell.result.stderr.splitlines()
        if line.startswith(("WARNING: Ignoring the variant", "WARNING: The plugin "))
    ]
    assert len(warnings) == int(lost), cell
    # An error is not to show what it is made of.
    told = [
        line
        for line in cell.result.stderr.splitlines()
        if ("-gpu.whl" in line or "-variants" in line)
        # Upstream's own words.
        and not line.startswith("WARNING: Retrying")
    ]
    for sign in ("[/]", "reference=", ": ('", "Error(", "Read(", "Pool(", "Retry("):
        assert not any(sign in line for line in (*warnings, *told)), cell


@pytest.mark.parametrize("name", OUTCOMES)
def test_what_is_lost(
    venv: Environment, make_index: Start, tmp_path: Path, name: str
) -> None:
    expected = OUTCOMES[name]
    cells = run_cells(venv, tmp_path / "run", make_index, KINDS[name], expected)
    for cell in cells:
        assert_told(cell)
        choice, told = expected[cell.fault]
        assert cell.selected == choice, cell
        assert told in cell.result.stderr, cell


UPSTREAMS = {
    "page": ["404", "503 once", "reset", "truncated", "an error page"],
    "metadata": ["403", "503 once", "truncated", "other bytes"],
    "wheel": ["404", "503 once", "truncated", "truncated once", "length too short"],
}


def assert_as_upstream(
    venv: Environment,
    upstream_venv: Environment,
    start: Start,
    folder: Path,
    name: str,
    faults: list[str],
) -> list[Cell]:
    """Assert that stock pip's own requests fail as they do if nothing has variants."""
    cells = run_cells(venv, folder / "fork", start, KINDS[name], faults)
    plain = KINDS[f"plain {name}"]
    others = run_cells(upstream_venv, folder / "upstream", start, plain, faults)
    for cell, other in zip(cells, others, strict=True):
        assert cell.result.returncode == other.result.returncode, f"{cell}\n{other}"
        assert cell.traced == other.traced, f"{cell}\n{other}"
    return cells


@pytest.mark.parametrize("name", UPSTREAMS)
def test_what_stops_upstream_stops_here(
    venv: Environment,
    upstream_venv: Environment,
    make_index: Start,
    tmp_path: Path,
    name: str,
) -> None:
    assert_as_upstream(venv, upstream_venv, make_index, tmp_path, name, UPSTREAMS[name])


#: Wheels that pip downloads in threads, because their sizes are unknown.
IN_PARALLEL = "wheel in parallel"


@pytest.mark.matrix
@pytest.mark.parametrize("name", [*OUTCOMES, *UPSTREAMS, IN_PARALLEL])
def test_every_fault_at_every_request(
    venv: Environment,
    upstream_venv: Environment,
    make_index: Start,
    tmp_path: Path,
    name: str,
) -> None:
    faults = list(FAULTS)
    if name not in OUTCOMES:

        def start() -> IndexServer:
            index = make_index()
            index.pages.sizes = name != IN_PARALLEL
            return index

        kind = name.split()[0]
        cells = assert_as_upstream(venv, upstream_venv, start, tmp_path, kind, faults)
    else:
        cells = run_cells(venv, tmp_path / "run", make_index, KINDS[name], faults)
        for cell in cells:
            assert_told(cell)
    outcomes = [cell.selected for cell in cells]
    counts = {choice: outcomes.count(choice) for choice in sorted(set(outcomes))}
    print(f"\n{name}: {len(cells)} faults, {counts}")


def test_an_older_copy_of_a_manifest(venv: Environment, tls_index: IndexServer) -> None:
    index, name = tls_index, "kernels-1.0-variants.json"
    add_packages(index)
    older = json.dumps(make_manifest({"old": cuda("12.0"), "null": {}})).encode()
    # A cache between them says that its copy is good for a year.
    headers = {"Age": "8640000", "Cache-Control": "max-age=31536000, immutable"}
    headers["ETag"] = '"older"'
    index.fault(name, body=older, headers=headers, times=1)
    command = ["install", "--dry-run", "kernels", "-i", index.index_url]
    command += ["--cert", str(index.certificates)]
    result = venv.pip(*command, env=forced("12.8"))
    requests = [each for each in index.requests if each.path == index.file_path(name)]
    assert "Using kernels 1.0, variant gpu" in result.stdout
    assert requests[1].headers["cache-control"] == "no-cache"
    assert result.stderr == ""
