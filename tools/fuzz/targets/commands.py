"""Fuzz whole commands of ``pip variants`` and ``wheel-variants``."""

from __future__ import annotations

import functools
import html
import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from tests.lib.environments import REPOSITORY
from tests.lib.in_process import InProcess
from tests.lib.manifests import cuda, make_manifest, variant_json
from tests.lib.publisher import WheelCli
from tests.lib.wheels import make_wheel
from tools.fuzz.shapes import DOCUMENTS, TEXT, mostly, named
from tools.fuzz.target import FOLDER, printable, structured

__all__ = ["TARGETS"]

_WORK = FOLDER / "work"
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
    return InProcess.make(FOLDER / "environment", REPOSITORY / "build" / "assembled")


#: Possible file names, most of them nearly valid names of distributions.
_NAME = st.tuples(*(named(*options) for options in _PARTS)).map(
    lambda parts: _possible("-".join(parts[:3]) + parts[3])
)


def _possible(name: str) -> str:
    encoded = name.encode("utf-8", "surrogateescape" if name.isascii() else "replace")
    return encoded.decode().translate({0: "_", ord("/"): "_"})[:60]


@dataclass(frozen=True)
class _Folder:
    """The files in the folder of a command: wheels, manifests, a host file, an index."""

    document: Any
    of_wheels: Any
    host: Any
    names: list[str]
    yanked: str
    module: str

    def write(self) -> None:
        dist, page = _WORK / "dist", _WORK / "simple" / "foo"
        shutil.rmtree(_WORK, ignore_errors=True)
        for folder in (dist, page):
            folder.mkdir(parents=True)
        for name, label in [
            ("foo-1.0-py3-none-any.whl", None),
            ("foo-1.0-py3-none-any-cu128.whl", "cu128"),
            *((name, "cu128") for name in self.names),
        ]:
            (dist / name).write_bytes(self._wheel(label))
        document = json.dumps(self.document)
        for path in (dist / "foo-1.0-variants.json", _WORK / "manifest.json"):
            path.write_text(document)
        links = "".join(
            f'<a href="../../dist/{html.escape(name)}" data-yanked="'
            f'{html.escape(self.yanked)}">{html.escape(name)}</a>'
            for name in (*self.names, *(each.name for each in dist.iterdir()))
        )
        (page / "index.html").write_bytes(links.encode("utf-8", "replace"))
        (_WORK / "host.json").write_text(json.dumps(self.host))

    def _wheel(self, label: str | None) -> bytes:
        content: Any = None if label is None else variant_json(_MANIFEST, label)
        if self.of_wheels is not None:
            content = json.dumps(self.of_wheels).encode()
        module = self.module.replace("\0", "").encode("utf-8", "replace").decode()
        files = {module or "x": "", "foo.py": ""}
        return make_wheel(
            "foo", "1.0", label=label, variant_json=content, files=files
        ).content


_FOLDERS = st.builds(
    _Folder,
    document=DOCUMENTS,
    of_wheels=mostly(st.none(), DOCUMENTS),
    host=mostly(st.just({"host-schema": 1, "supported": {}})),
    names=st.lists(_NAME, max_size=3),
    yanked=TEXT,
    module=named("foo/__init__.py"),
)


#: The arguments of ``pip variants``, in a folder with files.
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
#: The arguments of ``wheel-variants``.
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


def _check(command: tuple[str, ...], folder: _Folder, as_json: bool) -> None:
    folder.write()
    words = (*command, *(("--json",) if as_json else ()))
    env = {"NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION": "12.8"}
    if command in _PUBLISHING:
        run = WheelCli(FOLDER / "home", _WORK)
        result = run(*words, cwd=_WORK, code=None, env=env)
    else:
        result = _environment().pip("variants", *words, cwd=_WORK, code=None, env=env)
    assert result.returncode in (0, 1), result
    for line in result.output.split("\n"):
        printable(line)


_STRUCTURED = structured(
    "commands",
    _check,
    st.sampled_from((*_COMMANDS, *_PUBLISHING)),
    _FOLDERS,
    mostly(st.just(False), st.just(True)),
)


def _seeds() -> Iterable[bytes]:
    """Run each command with valid files, to import all modules, and return noise."""
    host = {"host-schema": 1, "supported": {}}
    for command in (*_COMMANDS, *_PUBLISHING):
        _check(command, _Folder(_MANIFEST, None, host, [], "", "foo.py"), False)
    return _STRUCTURED.seeds()


TARGETS = (replace(_STRUCTURED, seeds=_seeds),)
