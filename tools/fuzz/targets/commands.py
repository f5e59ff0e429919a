"""Whole commands of ``pip variants`` and ``wheel-variants``, and all that they write."""

from __future__ import annotations

import functools
import html
import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.lib.environments import REPOSITORY
from tests.lib.in_process import InProcess
from tests.lib.manifests import cuda, make_manifest, variant_json
from tests.lib.publisher import Publisher
from tests.lib.wheels import make_wheel
from tools.fuzz.choices import Choices
from tools.fuzz.shapes import make_document
from tools.fuzz.target import MEMORY, printable, structured

__all__ = ["TARGETS"]

_FOLDER = tempfile.TemporaryDirectory(dir=MEMORY, prefix="fuzz-commands-")
_WORK = Path(_FOLDER.name, "work")
_INDEX = ("-i", (_WORK / "simple").as_uri(), "--no-cache-dir")
_MANIFEST = make_manifest({"cu128": cuda("12.8"), "null": {}}, namespaces=["nvidia"])
_OPTIONS = ("--no-index", "--find-links", "dist", "--no-cache-dir")
_PARTS = (
    ("foo", "f.o", "<img>", "[red]"),
    ("1.0", "1!1.0+a", "x"),
    ("py3-none-any", "py3-none-any-cu128", "py3-none-any-..", "1[b]-py3-none-any"),
    (".whl", "-variants.json", ".tar.gz", ".zip"),
)


@functools.cache
def _environment() -> InProcess:
    root = Path(_FOLDER.name, "environment")
    return InProcess.make(root, REPOSITORY / "build" / "assembled")


def _name(choices: Choices) -> str:
    """Return a name that a file can have, of what is nearly a distribution."""
    parts = [
        choices.text() if choices.byte() % 4 == 3 else choices.one_of(options)
        for options in _PARTS
    ]
    name = "-".join(parts[:3]) + parts[3]
    encoded = name.encode("utf-8", "surrogateescape" if name.isascii() else "replace")
    return encoded.decode().translate({0: "_", ord("/"): "_"})[:80]


def _wheel(choices: Choices, label: str | None) -> bytes:
    content: Any = None if label is None else variant_json(_MANIFEST, label)
    if choices.rarely():
        content = json.dumps(make_document(choices)).encode()
    files = {}
    if choices.byte() % 4 == 3:
        text = choices.text().replace("\0", "") or "x"
        files = {text.encode("utf-8", "replace").decode(): "", "foo.py": ""}
    wheel = make_wheel("foo", "1.0", label=label, variant_json=content, files=files)
    return wheel.content


def _fill(choices: Choices, work: Path) -> None:
    """Make a folder of wheels and manifests, and an index of what is said to be there."""
    dist, page = work / "dist", work / "simple" / "foo"
    for folder in (dist, page):
        folder.mkdir(parents=True)
    for label in (None, "cu128"):
        suffix = "" if label is None else f"-{label}"
        path = dist / f"foo-1.0-py3-none-any{suffix}.whl"
        path.write_bytes(_wheel(choices, label))
    if choices.byte() % 2:
        document = json.dumps(make_document(choices))
        (dist / "foo-1.0-variants.json").write_text(document)
    names = choices.several(lambda: _name(choices), 0, 3)
    for name in names:
        (dist / name).write_bytes(_wheel(choices, "cu128"))
    links = "".join(
        f'<a href="../../dist/{html.escape(name)}" data-yanked="'
        f'{html.escape(choices.text())}">{html.escape(name)}</a>'
        for name in (*names, *(each.name for each in dist.iterdir()))
    )
    (page / "index.html").write_bytes(links.encode("utf-8", "replace"))
    host = choices.mostly(lambda: {"host-schema": 1, "supported": {}})
    (work / "host.json").write_text(json.dumps(host))


#: What follows ``pip variants``, in a folder that was filled.
_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("explain", "foo", *_OPTIONS),
    ("explain", "foo", *_OPTIONS, "--variant", "cu128"),
    ("explain", "foo", *_INDEX, "-v"),
    ("explain", "--manifest", "manifest.json"),
    ("list", "foo", *_OPTIONS, "--all-versions"),
    ("list", "foo", *_INDEX),
    ("host", "--manifest", "manifest.json"),
    ("host", "--variant-host", "host.json"),
)
#: What follows ``wheel-variants``, likewise.
_PUBLISHING: tuple[tuple[str, ...], ...] = (
    ("check", "dist", "manifest.json"),
    ("check", "simple"),
    ("index", "dist", "--simple"),
    ("index", "dist", "--simple", "-o", "site"),
    *(
        ("build", "dist/foo-1.0-py3-none-any-cu128.whl", "--from-label", *rest)
        for rest in (("--label", "."), ("--label", "b", "-d", "dist"), ("--null",))
    ),
)


def _check(choices: Choices) -> None:
    shutil.rmtree(_WORK, ignore_errors=True)
    command = choices.one_of((*_COMMANDS, *_PUBLISHING))
    document = json.dumps(make_document(choices))
    _fill(choices, _WORK)
    (_WORK / "manifest.json").write_text(document)
    words = (*command, *(("--json",) if choices.rarely() else ()))
    env = {"NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION": "12.8"}
    if command in _PUBLISHING:
        run = Publisher(Path(_FOLDER.name, "home"), _WORK)
        result = run(*words, cwd=_WORK, code=None, env=env)
    else:
        result = _environment().pip("variants", *words, cwd=_WORK, code=None, env=env)
    assert result.returncode in (0, 1), result
    for line in result.output.split("\n"):
        printable(line)


def _seeds() -> Iterator[bytes]:
    """Yield a sound input for each command, which loads all that the command needs."""
    for number in range(len((*_COMMANDS, *_PUBLISHING))):
        seed = bytes([number])
        _check(Choices(seed))
        yield seed
    yield from _STRUCTURED.seeds()


_STRUCTURED = structured("commands", _check, runs=5_000)
TARGETS = (replace(_STRUCTURED, seeds=_seeds),)
