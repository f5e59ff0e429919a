"""Nothing that pip does ahead of stock pip, or reads only for advice, ends a run."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.functional.test_lookahead import held
from tests.lib.environments import Environment
from tests.lib.faults import Fault
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda
from tests.lib.wheels import DistFile, make_wheel

GPU = forced("12.8")
_WHEEL = "{}-{}-py3-none-any.whl"
#: More digits than Python converts, and more brackets than it nests.
_DIGITS, _DEEP = "9" * 5000, 20_000


def _metadata(*lines: str) -> bytes:
    given = ["Metadata-Version: 2.1", "Name: x", "Version: 2.0", *lines]
    return "\n".join([*given, ""]).encode("utf-8", "surrogateescape")


def _file(**fields: object) -> str:
    name = _WHEEL.format("y", "1.0")
    return json.dumps({"files": [{"filename": name, "url": name, **fields}]})


#: Metadata of x 2.0, which stock pip never reads.
METADATA: Mapping[str, bytes] = {
    "empty": b"",
    "not UTF-8": b"\xff\xfe\x80" * 100,
    "another name": _metadata().replace(b"Name: x", b"Name: other"),
    "long version": _metadata().replace(b": 2.0", f": {_DIGITS}".encode()),
    "deep marker": _metadata(
        f"Requires-Dist: y; {'(' * _DEEP}python_version > '3'{')' * _DEEP}"
    ),
    "marker of nothing": _metadata("Requires-Dist: y; os_name > '\\x'"),
    "invalid URL": _metadata("Requires-Dist: y @ http://[bad"),
}
#: Pages of y, which only x 2.0 requires.
PAGES: Mapping[str, str] = {
    "deep": "[" * 200_000,
    "a number for a URL": _file(url=5),
    "invalid URL": _file(url="http://[bad/y-1.0-py3-none-any.whl"),
    "absurd size": _file(size=-(10**18)),
    "long version": _file(filename=_WHEEL.format("y", _DIGITS)),
}
#: Manifests of x 2.0.
MANIFESTS: Mapping[str, str] = {
    "empty": "",
    "no JSON": "{",
    "a list": "[]",
    "deep": "[" * 200_000,
    "not a number": '{"variants": NaN}',
    "no objects": '{"providers": [], "variants": [], "default-priorities": 1}',
}


def _installs_the_same(venv: Environment, index: IndexServer, ahead: str) -> None:
    """Check that pip installs the same with and without ``--no-fast``.

    Metadata of *a*, which excludes x 2.0, arrives last, and nothing that concerns x 2.0
    is an error with ``--strict-variants``.

    :param ahead: the path that is asked for only ahead of time.
    """
    index.add(make_wheel("a", "1.0", requires=["x<2"]))
    index.add(make_wheel("b", "1.0", requires=["x"]))
    late = index.file_path(_WHEEL.format("a", "1.0")) + ".metadata"
    seen = []
    for option in ([], ["--no-fast"]):
        venv.clear_cache()
        index.clear_log()
        index.faults.pop(late, None)
        target = venv.work / f"target{len(option)}"
        command = ["install", "a", "b", "-i", index.index_url, *option]
        command += ["--strict-variants", "-t", str(target)]
        if option:
            result = venv.pip(*command, env=GPU, code=None)
        else:
            with held(index, late, lambda requests: ahead in requests):
                result = venv.pip(*command, env=GPU, code=None)
        asked = ahead in [path for _, path in index.log()]
        assert asked != bool(option), "it must be read ahead, or nothing is tested"
        files = sorted(str(path.relative_to(target)) for path in target.rglob("*"))
        seen.append((result.returncode, files))
    assert seen[0] == seen[1]
    assert seen[0][0] == 0
    assert "x-1.0.dist-info" in seen[0][1]


@pytest.mark.parametrize("name", METADATA)
def test_metadata_read_ahead(venv: Environment, index: IndexServer, name: str) -> None:
    index.add(make_wheel("x", "1.0"))
    index.add(replace(make_wheel("x", "2.0"), metadata=METADATA[name]))
    path = index.file_path(_WHEEL.format("x", "2.0")) + ".metadata"
    _installs_the_same(venv, index, path)


@pytest.mark.parametrize("name", PAGES)
def test_page_read_ahead(venv: Environment, index: IndexServer, name: str) -> None:
    index.add(make_wheel("x", "1.0"))
    index.add(make_wheel("x", "2.0", requires=["y"]))
    index.add(make_wheel("y", "1.0"))
    content_type = {"Content-Type": "application/vnd.pypi.simple.v1+json"}
    page = Fault(body=PAGES[name].encode(), headers=content_type)
    index.faults["/simple/y/"] = page
    _installs_the_same(venv, index, "/simple/y/")


@pytest.mark.parametrize("name", MANIFESTS)
def test_manifest_read_ahead(venv: Environment, index: IndexServer, name: str) -> None:
    index.add(make_wheel("x", "1.0"))
    index.add_release("x", "2.0", {"gpu": cuda("12.8")})
    manifest = "x-2.0-variants.json"
    content = MANIFESTS[name].encode()
    index.add(DistFile("x", "2.0", manifest, content))
    _installs_the_same(venv, index, index.file_path(manifest))


@pytest.mark.parametrize("size", [1_000, 300_000], ids=["small", "large"])
def test_ordinary_work_takes_place(
    venv: Environment, index: IndexServer, size: int
) -> None:
    """Requests are sent in parallel, and no error has stopped optional work."""
    data = random.Random(1).randbytes(size)
    parts = [f"part{number}" for number in range(4)]
    for part in parts:
        index.add(make_wheel(part, "1.0", files={f"{part}/data": data}))
    index.add(make_wheel("top", "1.0", requires=parts))
    index.delay = 0.1
    log = venv.work / "log"
    venv.pip("install", "top", "-i", index.index_url, "--log", str(log))
    assert "Stopped " not in log.read_text(encoding="utf-8")
    wheels = [index.file_path(_WHEEL.format(part, "1.0")) for part in parts]
    for together in (
        [f"/simple/{part}/" for part in parts],
        [f"{wheel}.metadata" for wheel in wheels],
        wheels,
    ):
        assert index.most_at_once(together) >= 2, together
