"""Fuzz wheels with arbitrary bytes as ``variant.json``."""

from __future__ import annotations

import io
import json
import optparse
import warnings
import zipfile
from typing import Any

from hypothesis import strategies as st

from pip._internal.exceptions import DiagnosticPipError, PipError
from pip._internal.models.link import Link
from pip._internal.network.session import PipSession
from pip._internal.variants.index.archives import undamaged
from pip._internal.variants.index.sources import ManifestUnavailable
from pip._internal.variants.index.wheel_manifests import (
    manifest_of_wheels,
    metadata_of_wheel,
)
from pip._internal.variants.output.reporter import Reporter
from pip._internal.variants.selection.run import Run
from pip._internal.variants.selection.verification import check_prepared
from pip._internal.variants.settings import Settings
from tools.fuzz.shapes import DOCUMENTS, TEXT, mostly
from tools.fuzz.target import FOLDER, check_error, check_text, structured

__all__ = ["TARGETS"]

_FILENAME = "foo-1.0-py3-none-any-cu128.whl"
_SESSION = PipSession()

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


def _written(document: Any, is_of_label: bool) -> bytes:
    variants = document.get("variants") if isinstance(document, dict) else None
    if is_of_label and isinstance(variants, dict) and variants:
        # If the label matches the file name, installers read the whole document.
        document["variants"] = {"cu128": next(iter(variants.values()))}
    return json.dumps(document).encode()


_CONTENT = mostly(
    st.builds(_written, DOCUMENTS, st.booleans()), st.sampled_from(_CONTENTS)
)
_MEMBER = st.tuples(
    st.just(_MEMBERS[0]) | st.sampled_from(_MEMBERS),
    st.sampled_from(_METHODS),
    _CONTENT,
)
#: Offsets from the end, near the directory of the archive, and the bytes to write there.
_DAMAGE = st.dictionaries(st.integers(0, 2000), st.integers(0, 255), max_size=7)


def _check_wheel(
    version: str, members: list[tuple[str, int, bytes]], damage: dict[int, int]
) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # for repeated names
        archive.writestr("foo-1.0.dist-info/WHEEL", version.encode("utf-8", "replace"))
        for name, method, content in members:
            archive.writestr(name, content, method)
    data = bytearray(buffer.getvalue())
    for place, byte in damage.items():
        data[-1 - place % len(data)] = byte
    path = FOLDER / _FILENAME
    path.write_bytes(data)
    _check(Link(path.as_uri()))


def _check(link: Link) -> None:
    options: Any = optparse.Values({"platforms": ["linux_x86_64"]})
    run = Run(_SESSION, Settings(options), Reporter)
    try:
        with undamaged(link.filename):
            dist = metadata_of_wheel(_SESSION, link)
        check_prepared(run, dist, link, "cu128")
    except DiagnosticPipError as error:
        check_error(error)
        assert link not in run.decisions.direct
    except PipError:
        assert link not in run.decisions.direct
    try:
        manifest, _ = manifest_of_wheels(_SESSION, {"cu128": link})
    except ManifestUnavailable as error:
        check_text(str(error))
    else:
        assert set(manifest.variants) == {"cu128"}


TARGETS = (
    structured(
        "wheel",
        _check_wheel,
        mostly(st.just("Wheel-Version: 1.0\n"), TEXT),
        st.lists(_MEMBER, min_size=1, max_size=3),
        st.just({}) | _DAMAGE,
    ),
)
