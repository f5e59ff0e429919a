"""Wheels with anything in place of ``variant.json``."""

from __future__ import annotations

import io
import json
import optparse
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

from pip._internal.exceptions import DiagnosticPipError, PipError
from pip._internal.models.link import Link
from pip._internal.network.session import PipSession
from pip._internal.variants.index.sources import ManifestUnavailable
from pip._internal.variants.index.wheel_manifests import manifest_of_wheels
from pip._internal.variants.output.reporter import Reporter
from pip._internal.variants.selection.run import Run
from pip._internal.variants.selection.settings import Settings
from pip._internal.variants.selection.verification import check_direct
from tools.fuzz.choices import Choices
from tools.fuzz.shapes import make_document
from tools.fuzz.target import MEMORY, failed, said, structured

__all__ = ["TARGETS"]

_FILENAME = "foo-1.0-py3-none-any-cu128.whl"
_SESSION = PipSession()
_FOLDER = tempfile.TemporaryDirectory(dir=MEMORY, prefix="fuzz-wheels-")

_MEMBERS = (
    "foo-1.0.dist-info/variant.json",
    "foo-1.0.dist-info/./variant.json",
    "foo-1.0.dist-info//variant.json",
    "foo-1.0.dist-info/variant.json/",
    "foo-1.0.dist-info/variant.json/x",
    "foo-1.0.dist-info/../variant.json",
    "../variant.json",
    "/variant.json",
    "variant.json",
    "foo/variant.json",
    "Foo-1.0.dist-info/variant.json",
    "foo-1.0.dist-info/METADATA",
    "\x1b[31m-1.0.dist-info/variant.json",
    "foo\x1b[31m.dist-info/x",
)
_CONTENTS = (b"", b"\xff", b"{}", b"[" * 5000, b'{"a":0,"a":0}', b" " * (3 << 19))
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA)


def _content(choices: Choices) -> bytes:
    if choices.byte() % 4 == 3:
        return choices.one_of(_CONTENTS)
    document = make_document(choices)
    if isinstance(document, dict) and choices.byte() % 4:
        # Often it is of the label in the file name, and is looked at to the end.
        variants = document.get("variants")
        if isinstance(variants, dict) and variants:
            document["variants"] = {"cu128": next(iter(variants.values()))}
    return json.dumps(document).encode()


def _check_wheel(choices: Choices) -> None:
    version = choices.text() if choices.rarely() else "Wheel-Version: 1.0\n"
    members = choices.several(
        lambda: (_member(choices), choices.one_of(_METHODS), _content(choices)), 1, 3
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are repeated
        archive.writestr("foo-1.0.dist-info/WHEEL", version.encode("utf-8", "replace"))
        for name, method, content in members:
            archive.writestr(name, content, method)
    data = bytearray(buffer.getvalue())
    if choices.byte() % 2:
        for _ in range(choices.byte() % 8):
            # The directory of the archive is at its end, and short.
            place = choices.byte() << 8 | choices.byte()
            data[-1 - place % len(data)] = choices.byte()
    path = Path(_FOLDER.name, _FILENAME)
    path.write_bytes(data)
    _check(Link(path.as_uri()))


def _member(choices: Choices) -> str:
    return _MEMBERS[0] if choices.byte() % 2 else choices.one_of(_MEMBERS)


def _check(link: Link) -> None:
    options: Any = optparse.Values({"platforms": ["linux_x86_64"]})
    run = Run(_SESSION, Settings(options), Reporter)
    try:
        check_direct(run, link, "cu128")
    except DiagnosticPipError as error:
        failed(error)
        assert link not in run.decisions.direct
    except PipError:
        assert link not in run.decisions.direct
    try:
        manifest, _ = manifest_of_wheels(_SESSION, {"cu128": link})
    except ManifestUnavailable as error:
        said(str(error))
    else:
        assert set(manifest.variants) == {"cu128"}


TARGETS = (structured("wheel", _check_wheel),)
