"""Write down what the commands of tests do: ``--record FOLDER``.

A change that is to change nothing is recorded before and after, and
``tools/compare_records.py`` compares. For each test there is a JSON file: of each
command, in order, its arguments, exit status and output, the requests that servers of
the tests got since the one before, and what changed in the test's folder. What those
files hold is kept below ``files``, by digest. What is never the same twice is written
with a name in its place: paths of folders, ports, what pip draws by lot.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import json
import os
import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import REPOSITORY, Result

__all__ = ["Recorder", "pytest_addoption", "pytest_configure"]

# Told of each request; the others say nothing of what pip does, or too much.
_HEADERS = (
    "Accept",
    "Accept-Encoding",
    "Authorization",
    "Cache-Control",
    "If-Modified-Since",
    "If-None-Match",
    "Range",
)
# What upstream caches is named after addresses, with ports; pip itself is what changes.
_LEFT_OUT = re.compile(
    r"/(__pycache__|home/(\.cache/pip|cache)/(http-v2|wheels|selfcheck)"
    r"|site-packages/pip(-[^/]*\.dist-info)?)$"
)
_NAMES = tuple(
    (re.compile(pattern, re.MULTILINE), name)
    for pattern, name in (
        (r"(/[\w.-]+)+/pytest-of-\w+/pytest-\d+(/popen-gw\d+)?", "<temp>"),
        (r"/(pip-[a-z-]+-|tmp|\.partial-)[a-z0-9_]{8}\b", r"/\1<drawn>"),
        (r"_[0-9a-f]{32}\b", "_<drawn>"),
        (r"(?<=/\.pip-staging-)\w{8}\b", "<drawn>"),
        (r"(?s)-----BEGIN CERTIFICATE-----.*-----END", "<drawn>"),
        (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{3}\b", "<now>"),
        (r'(?<="modified": )\d{19}\b', "<now>"),
        (r"\b\d+\.\d ms\b", "<time>"),
        (r'(\bseconds(": |=))[\d.e-]+', r"\1<time>"),
        # What has ports or dates in it.
        (r'(?<=If-None-Match: )"[0-9a-f]{16}"', "<digest>"),
        (r"(?<=/wheels/)([0-9a-f]{2}/){3}[0-9a-f]+", "<digest>"),
        (r"(Created wheel for .* sha256=)[0-9a-f]{64}", r"\1<digest>"),
        # All but the first picture of a wheel that turns.
        (r"\r\x1b\[2K[^\r\n]* \.\.\. [-\\|/](?=\r)", ""),
        # Bars that stopped, bars that came to their end, and files of unknown size.
        (r"━[━╸╺]* .* eta .*$", "<bar>"),
        (r"━+ ([\d./]+ \w+) .*\b\d+:\d\d:\d\d\b", r"━ \1"),
        (r"^( +)[-\\|/] ([\d.]+ \w+) .*\b\d+:\d\d:\d\d$", r"\1- \2"),
        # With -vv: which threads found something to do.
        (r"^ *Starting new HTTPS? connection .*\n", ""),
        (r"^ *.* was unpacked ahead, in .*\n", ""),
    )
)
_PORT = re.compile(r"(\b127\.0\.0\.1:|\blocalhost:|\bport=)(\d+)")
_RECORDED = re.compile(r"(?<=,sha256=)([\w-]{43}),\d+")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--record``."""
    parser.getgroup("commands").addoption(
        "--record",
        type=Path,
        metavar="FOLDER",
        help="write down there what each command of the tests does",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begin to watch."""
    folder: Path | None = config.getoption("--record")
    if folder is not None:
        recorder = Recorder(folder.absolute())
        patch = pytest.MonkeyPatch()
        config.add_cleanup(patch.undo)
        recorder.watch(patch)
        config.pluginmanager.register(recorder)


class Recorder:
    """Notes what the commands of one test after the other do.

    :param folder: where it is written
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._begin(None)

    def _begin(self, root: Path | None) -> None:
        self._root = root
        self._commands: list[dict[str, Any]] = []
        self._requests: list[str] = []
        self._files: dict[str, str] = {}
        self._ports: dict[str, int] = {}

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        """See every result of a command, and every request."""
        made, parsed = Result.__init__, BaseHTTPRequestHandler.parse_request

        @functools.wraps(made)
        def make(result: Result, *args: Any, **kwargs: Any) -> None:
            made(result, *args, **kwargs)
            self._note(result)

        @functools.wraps(parsed)
        def parse(handler: BaseHTTPRequestHandler) -> bool:
            good = parsed(handler)
            if good:
                self._requests.append(_request(handler))
            return good

        patch.setattr(Result, "__init__", make)
        patch.setattr(BaseHTTPRequestHandler, "parse_request", parse)

    @contextmanager
    def test(self, name: str, root: Path | None = None) -> Iterator[None]:
        """Write down the commands of a test.

        :param root: its folder, if there is one already
        """
        self._begin(root)
        yield
        if self._commands:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"{_digest(name.encode())}.json"
            record = {"test": name, "commands": self._commands}
            path.write_text(json.dumps(record, indent=1), encoding="utf-8")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Write down what a test does."""
        with self.test(item.nodeid):
            return (yield)

    @pytest.fixture
    def tmp_path(
        self, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
    ) -> Path:
        """Return a folder whose path is as long in each run: some output is wrapped."""
        name = _digest(request.node.nodeid.encode())
        self._root = tmp_path_factory.mktemp(name, numbered=False)
        return self._root

    def _note(self, result: Result) -> None:
        requests, self._requests = self._requests, []
        before, root = self._files, self._root
        self._files = {} if root is None else self._snapshot(root)
        names = sorted(before.keys() | self._files.keys())
        self._commands.append(
            {
                "arguments": [self._named(part) for part in result.command],
                "status": result.returncode,
                "stdout": self._named(result.stdout),
                "stderr": self._named(result.stderr),
                # Those that are made at a time come in any order.
                "requests": sorted(map(self._named, requests)),
                "files": {
                    self._named(name): self._files.get(name)
                    for name in names
                    if before.get(name) != self._files.get(name)
                },
            }
        )

    def _named(self, text: str) -> str:
        if self._root is not None:
            text = text.replace(str(self._root), "<test>")
        text = text.replace(str(REPOSITORY), "<repository>")
        for pattern, name in _NAMES:
            text = pattern.sub(name, text)
        return _PORT.sub(lambda m: f"{m[1]}<{self._port(m[2])}>", text)

    def _port(self, port: str) -> int:
        """Return which of the test's ports it is, as they came up."""
        return self._ports.setdefault(port, len(self._ports) + 1)

    def _snapshot(self, root: Path) -> dict[str, str]:
        """Return digests of what is in the test's folder, by path."""
        texts: dict[str, str] = {}
        found: dict[str, str] = {}
        # By what RECORD says of a file with paths or ports in it, what to compare.
        anew: dict[str, str] = {}
        for path in _files(root):
            name = path.relative_to(root).as_posix()
            if path.is_symlink():
                found[name] = self._named(f"link to {path.readlink()}")
                continue
            content = path.read_bytes()
            try:
                text = content.decode()
            except UnicodeDecodeError:
                text = _listed(content)
            texts[name] = self._named(text)
            if texts[name] != text:
                digest = hashlib.sha256(content).digest()
                in_record = base64.urlsafe_b64encode(digest).decode().rstrip("=")
                anew[in_record] = f"<{_digest(texts[name].encode())}>"
        for name, text in texts.items():
            if name.endswith(".dist-info/RECORD"):
                text = _RECORDED.sub(lambda m: anew.get(m[1], m[0]), text)
            found[name] = self._kept(text)
        return found

    def _kept(self, text: str) -> str:
        """Keep a text, and return its digest."""
        digest = _digest(text.encode())
        path = self._folder / "files" / digest
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        return digest


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:24]


def _listed(content: bytes) -> str:
    """Tell what an archive holds, which may be of today; or what else there is."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "\n".join(
                f"{each.filename} {each.CRC:08x} {each.external_attr:o}"
                for each in archive.infolist()
            )
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return f"({_digest(content)})"


def _files(root: Path) -> Iterator[Path]:
    """Yield the files and links below a folder that are to be compared."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            name for name in folders if not _LEFT_OUT.search(f"{folder}/{name}")
        )
        for path in (Path(folder, name) for name in [*names, *folders]):
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode) or (stat.S_ISREG(mode) and path.suffix != ".pyc"):
                yield path


def _request(handler: BaseHTTPRequestHandler) -> str:
    headers = {name: handler.headers.get(name) for name in _HEADERS}
    told = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    host = handler.headers.get("Host", "")
    return "; ".join([f"{handler.command} {host}{handler.path}", *told])
