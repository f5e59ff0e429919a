"""What was made to crash, hang, fill memory or fool people, through the command line."""

from __future__ import annotations

import gzip
import io
import json
import re
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.in_process import InProcess
from tests.lib.index import Fault, IndexServer
from tests.lib.manifests import (
    PREVIEW_TORCH,
    PluginSpec,
    cuda,
    make_manifest,
    manifest_file,
    variant_json,
)
from tests.lib.measured import run_measured
from tests.lib.publisher import WheelCli
from tests.lib.repository import JSON_TYPE, Entry
from tests.lib.wheels import DistFile, make_wheel

GPU = forced("12.8")
#: The module that is run, if it is not pip.
PUBLISHER = "wheel_variants"
#: Beyond what a pip without anything hostile takes.
MEGABYTES = 200


@pytest.fixture
def measured(
    venv: Environment | InProcess, publish: WheelCli, tmp_path: Path
) -> Callable[..., Result]:
    """Return a function that runs a program within limits of time, memory and characters.

    Within the test's process, time and memory are not only pip's, and not limited.
    """

    def run(*arguments: str | Path, code: int = 0, program: str = "pip") -> Result:
        if isinstance(venv, InProcess):
            command = publish if program == PUBLISHER else venv.pip
            result = command(*arguments, code=code, env=GPU)
        else:
            place = publish.environment if program == PUBLISHER else venv
            assert place is not None
            limits = partial(run_measured, code=code, env=GPU, timeout=60)
            result, peak = limits(place, tmp_path, *arguments, program=program)
            assert peak < base + MEGABYTES, str(result)
        for line in result.output.split("\n"):
            assert line.isprintable(), f"{line!r}\n{result}"
        return result

    base = 0.0
    if isinstance(venv, Environment):
        _, base = run_measured(venv, tmp_path, "--version", env=GPU)
    return run


def _with(**changes: Any) -> bytes:
    return json.dumps({**PREVIEW_TORCH, **changes}).encode()


def _with_variant(text: str) -> bytes:
    """Return the manifest with *text* in the place of a label and its properties."""
    manifest = json.dumps({**PREVIEW_TORCH, "variants": {}})
    return manifest.replace('"variants": {}', f'"variants": {{{text}}}').encode()


def _bomb(size: int, times: int = 1) -> bytes:
    packed = b" " * size
    for _ in range(times):
        packed = gzip.compress(packed, 9, mtime=0)
    return packed


#: By the name of the package: its manifest, and the reason for not using it.
MANIFESTS: Mapping[str, tuple[bytes | Fault, str]] = {
    "lists": (b"[" * 200_000, "nested too deeply"),
    # Python can read these, but neither show nor write all of them.
    "nested": (
        _with(notes=1).replace(b'"notes": 1', b'"n":' + b"[" * 940 + b"]" * 940),
        "nested too deeply",
    ),
    "digits": (_with_variant(f'"cu128": {"9" * 6000}'), "is a number, not an object"),
    "nan": (_with_variant('"cu128": NaN'), "NaN"),
    "twice": (_with_variant('"a": {}, "a": {"nvidia": {"f": ["1"]}}'), "'a'"),
    "escape": (_with_variant(r'"\u001b[2J": {}'), r"invalid label '\x1b[2J'"),
    "bidi": (_with_variant(r'"cu\u202e821": {}'), r"invalid label 'cu\u202e821'"),
    # What is slow with many of these.
    "ranks": (
        _with(**{"default-priorities": {"namespace": [f"n{n}" for n in range(65)]}}),
        "more than 64 namespaces",
    ),
    "long": (_with(**{"$schema": "v9." + "0" * 100_000}), "unsupported schema"),
    "large": (Fault(size=100 << 20), "larger than 2 MiB"),
    "repacked": (
        Fault(body=_bomb(64 << 20, 2), headers={"Content-Encoding": "gzip, gzip"}),
        "larger than 2 MiB",
    ),
    "unpacked": (Fault(headers={"Content-Encoding": "gzip"}), "gzip"),
}


def test_manifests(measured: Callable[..., Result], index: IndexServer) -> None:
    """Each costs its own package the variants, and no more."""
    for name, (content, _) in MANIFESTS.items():
        index.add_release(name, "1.0", {}, manifest=PREVIEW_TORCH, listed=False)
        if isinstance(content, bytes):
            index.add(manifest_file(name, "1.0", content))
        else:
            index.add(manifest_file(name, "1.0", PREVIEW_TORCH))
            index.faults[f"/files/{name}-1.0-variants.json"] = content
    index.add_release("sound", "1.0", {}, manifest=PREVIEW_TORCH)
    result = measured("install", *MANIFESTS, "sound", "-i", index.index_url)
    lines = result.stderr.splitlines()
    for name, (_, reason) in MANIFESTS.items():
        start = f"WARNING: Ignoring the variant wheels of {name} 1.0: "
        (warning,) = (line for line in lines if line.startswith(start))
        assert reason in warning
        assert len(warning) < 700
        assert f"Using {name} 1.0, plain wheel" in result.stdout
    assert len(lines) == len(MANIFESTS)
    assert "Using sound 1.0, variant cu128" in result.stdout


VARIANT_JSON = "{}-1.0.dist-info/variant.json"


def _wheel(name: str, **members: Any) -> DistFile:
    """Make a wheel labeled cu128 with other members in the place of ``variant.json``.

    :param members: content and changes to its entry, by path with {} for the name.
    """
    sound = make_wheel(name, "1.0", label="cu128")
    buffer = io.BytesIO(sound.content)
    with zipfile.ZipFile(buffer, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are repeated
        for path, content in members["members"]:
            info = zipfile.ZipInfo(path.replace("{}", name))
            info.compress_type = members.get("method", zipfile.ZIP_DEFLATED)
            info.external_attr = members.get("mode", stat.S_IFREG | 0o644) << 16
            archive.writestr(info, content)
    return DistFile(name, "1.0", sound.filename, buffer.getvalue(), sound.metadata)


OWN = json.dumps(variant_json(PREVIEW_TORCH, "cu128")).encode()
LINK = {"mode": stat.S_IFLNK | 0o777}
LZMA = {"method": zipfile.ZIP_LZMA}
#: By the name of the package: what its wheel has, and the reason for refusing that.
WHEELS: Mapping[str, tuple[list[tuple[str, bytes]], dict[str, Any], str]] = {
    "bomb": ([(VARIANT_JSON, b" " * (100 << 20))], {}, "larger than 2 MiB"),
    "squeezed": ([(VARIANT_JSON, b" " * (100 << 20))], LZMA, "unsupported compression"),
    "doubled": ([(VARIANT_JSON, OWN), (VARIANT_JSON, OWN)], {}, "more than once"),
    "outside": ([("../variant.json", OWN)], {}, "no variant.json"),
    "absolute": ([("/{}-1.0.dist-info/variant.json", OWN)], {}, "no variant.json"),
    "linked": ([(VARIANT_JSON, b"/etc/passwd")], LINK, "not valid JSON"),
    "deeper": ([(VARIANT_JSON, b"[" * 100_000)], {}, "nested too deeply"),
    "other": ([(VARIANT_JSON, OWN.replace(b"cu128", rb"\u001b[2J"))], {}, "label"),
}


def test_wheels(
    measured: Callable[..., Result],
    venv: Environment,
    index: IndexServer,
    tmp_path: Path,
) -> None:
    """What cannot be read for a choice is not chosen, and by path not installed."""
    for name, (members, options, _) in WHEELS.items():
        index.add(_wheel(name, members=members, **options))
        index.add(make_wheel(name, "1.0"))
    result = measured("install", "--dry-run", *WHEELS, "-i", index.index_url)
    for name, (_, _, reason) in WHEELS.items():
        start = f"WARNING: Ignoring the variant wheels of {name} 1.0: "
        (warning,) = (x for x in result.stderr.splitlines() if x.startswith(start))
        assert reason in warning
        assert f"Using {name} 1.0, plain wheel" in result.stdout
        by_path = index.projects[name][0].file.write_to(tmp_path)
        refused = measured("install", by_path, code=1).stderr
        assert "error: invalid-variant-wheel" in refused
        assert reason in refused
    assert venv.installed() == {}


def test_a_wheel_that_was_chosen(
    measured: Callable[..., Result], venv: Environment, index: IndexServer
) -> None:
    """What turns out to be something else once it is here is not installed."""
    index.add_release("bomb", "1.0", {}, manifest=PREVIEW_TORCH)
    members, options, reason = WHEELS["bomb"]
    index.add(_wheel("bomb", members=members, **options))
    result = measured("install", "bomb", "-i", index.index_url, code=1)
    # With pkg_resources, upstream finds it out first.
    said = ("error: invalid-variant-wheel", "bomb has an invalid wheel")
    assert any(each in result.stderr for each in said)
    assert reason in result.stderr
    assert venv.installed() == {}


def test_dependencies(measured: Callable[..., Result], index: IndexServer) -> None:
    """A wheel whose markers make no sense is skipped, as by upstream."""
    markers = {
        "nested": ("(" * 5000 + "os_name == 'x'" + ")" * 5000, "nested too deeply"),
        "turned": ("variant_properties in 'nvidia'", "Set-valued marker"),
        "half": (r"variant_label != '' and os_name != '\ud800'", "Invalid quoted"),
    }
    for name, (marker, _) in markers.items():
        requires = [f"missing; {marker}"]
        index.add_release(name, "1.0", {}, manifest=PREVIEW_TORCH, requires=requires)
        index.add(make_wheel(name, "0.9"))
    result = measured("install", *markers, "-i", index.index_url)
    for name, (_, problem) in markers.items():
        assert f"Ignoring version 1.0 of {name} since it has invalid" in result.stderr
        assert problem in result.stderr
    assert "Successfully installed half-1.0 nested-0.9 turned-0.9" in result.stdout


def _relative(entry: Entry) -> str:
    return f"/files/{entry.path}"


@pytest.mark.parametrize("is_stale", [False, True])
def test_pages(
    measured: Callable[..., Result], index: IndexServer, is_stale: bool
) -> None:
    """Whatever else a page lists, what is sound on it can be installed."""
    index.page_format = "json"
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    page = json.loads(index.project_json("torch", index.pages, _relative))
    wheel = {"url": "x.whl", "hashes": {}}
    # A file of this machine, perhaps a device. Of several manifests the first one counts.
    name = "torch-2.8.0-variants.json"
    local = {"filename": name, "url": f"file:///dev/{name}", "hashes": {}}
    for each in page["files"] if is_stale else ():
        # Then pip reads the page once more.
        each["hashes"] = {"sha256": "0" * 64}
    page["files"] = [
        local,
        *page["files"],
        {"filename": "../../torch-9.0-variants.json", "url": "x", "hashes": {}},
        {"filename": "torch-\u0669.0-variants.json", "url": "x", "hashes": {}},
        {"filename": f"torch-{'9' * 5000}-variants.json", "url": "x", "hashes": {}},
        {"filename": "torch-8.0-variants.json", "url": "gopher://x/y", "hashes": {}},
        *(
            {**wheel, "filename": f"torch-9.0-py3-none-any-{label}.whl"}
            for label in ("\x1b[2J", "cu128\n", "\u202e", "CU", "cu\u0661", "a b", "")
        ),
        *({**wheel, "filename": f"torch-0.{n}-variants.json"} for n in range(5000)),
    ]
    body, headers = json.dumps(page).encode(), {"Content-Type": JSON_TYPE}
    index.faults["/simple/torch/"] = Fault(body=body, headers=headers)
    result = measured("install", "torch", "-vi", index.index_url, code=int(is_stale))
    said = "its hash does not match" if is_stale else "Using torch 2.8.0, variant cu128"
    assert said in result.stdout + result.stderr


DEEP = "[" * 20_000 + "]" * 20_000


def test_files(measured: Callable[..., Result], tmp_path: Path) -> None:
    """A file that the user names is read as far as it may be one."""
    host = tmp_path / "host.json"
    for content, reason in {
        # From 3.14 on the depth that can be read depends on the stack.
        f'{{"host-schema": {DEEP}}}': "nested too deeply|must be 1, not \\[\\[",
        '{"host-schema": 1, "supported": {"\\u001b[2J": []}}': "Invalid namespace",
    }.items():
        host.write_text(content)
        result = measured("variants", "host", "--variant-host", host, code=1)
        assert "error: invalid-variant-host" in result.stderr
        assert re.search(reason, result.stderr)
        assert len(result.stderr) < 1000
    result = measured("variants", "host", "--variant-host", "/dev/zero", code=1)
    assert "error: invalid-variant-host" in result.stderr
    project = tmp_path / "pyproject.toml"
    project.write_text(f"[variant]\nx = {DEEP}")
    wheel = make_wheel("foo", "1.0").write_to(tmp_path)
    options = ["--label", "a", "--pyproject", project]
    result = measured("build", wheel, *options, code=1, program=PUBLISHER)
    assert "error: Cannot use [variant] in " in result.stderr


def test_a_folder_with_the_name_of_a_manifest(
    measured: Callable[..., Result], tmp_path: Path
) -> None:
    (tmp_path / "foo-1.0-variants.json").mkdir()
    for wheel in make_wheel("foo", "1.0", label="a"), make_wheel("foo", "1.0"):
        wheel.write_to(tmp_path)
    command = ["install", "--dry-run", "foo", "--no-index", "-f", tmp_path]
    result = measured(*command)
    assert "Using foo 1.0, plain wheel" in result.stdout
    assert "Is a directory" in result.stderr


def test_servers_of_wheels(measured: Callable[..., Result], index: IndexServer) -> None:
    """A server is asked for the metadata of a wheel, and no more is taken from it."""
    for name in ("digits", "endless", "listing", "reset"):
        index.add_release(name, "1.0", {}, manifest=PREVIEW_TORCH, listed=False)
    many = make_manifest({f"a{n}": {} for n in range(20)} | {"cu128": cuda("12.8")})
    index.add_release("many", "1.0", {}, manifest=many, listed=False)
    own = json.dumps({**variant_json(many, "cu128"), "notes": " " * 200_000}).encode()
    index.add(make_wheel("many", "1.0", label="cu128", variant_json=own))
    sound = index.projects["listing"][0].file
    # The list of its files is said to take 16 MiB.
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, 16 << 20, 1 << 20, 0)
    index.add(replace(sound, content=b"\0" * (17 << 20) + end))
    lie = Fault(headers={"Content-Length": "9" * 5000}, methods=("HEAD",))
    more = Fault(body=b"\0" * (100 << 20), methods=("GET",))
    no_parts = {"Accept-Ranges": "none"}
    reset = Fault(headers=no_parts, truncate=100, reset=True)
    for name, fault in (("digits", lie), ("endless", more), ("reset", reset)):
        for entry in index.projects[name][:-1]:
            index.faults[f"/files/{entry.path}"] = fault
    packages = ["digits", "endless", "many", "reset"]
    result = measured("install", *packages, "-i", index.index_url)
    assert "Using many 1.0, variant a0" in result.stdout
    assert "larger than 97 KiB" in result.stderr
    for name, problem in {
        "digits": "not support range",
        "endless": "more than",
        "reset": "connection",
    }.items():
        assert f"Using {name} 1.0, plain wheel" in result.stdout
        assert problem in result.stderr
    result = measured("install", "--dry-run", "listing", "-i", index.index_url, "-v")
    assert "takes over 8 MiB" in result.output


#: Colors, moves and hides; and a line end, after which a line of pip's could be forged.
SHOWN = "\x1b[31m\x9b2J\x7f"
ESCAPED = r"\x1b[31m\x9b2J\x7f"
ACTIONS = (
    ["install", "--dry-run", "-v"],
    ["variants", "list"],
    ["variants", "explain"],
)


def test_what_a_manifest_says_of_its_form(
    measured: Callable[..., Result], index: IndexServer
) -> None:
    text = f"{SHOWN}\nWARNING: forged\u202e\u2028[link=x]"
    schema = {"$schema": f"https://schemas.example/v0.0.2.json{text}"}
    index.add_release("torch", "2.8.0", {}, manifest={**PREVIEW_TORCH, **schema})
    for action in ACTIONS:
        result = measured(*action, "torch", "-i", index.index_url)
    assert (
        rf"(v0.0.2.json{ESCAPED}\nWARNING: forged\u202e\u2028[link=x])" in result.stdout
    )


@pytest.mark.parametrize("status", [403, 404])
def test_what_a_server_says_of_its_status(
    measured: Callable[..., Result], index: IndexServer, status: int
) -> None:
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    index.fault("torch-2.8.0-variants.json", status=status, reason=SHOWN)
    for label in ("cu126", "cu128", "cu129", "00000000"):
        name = f"torch-2.8.0-py3-none-any-{label}.whl"
        index.fault(name, status=403, reason=SHOWN, methods=("HEAD", "GET"))
    for action in ACTIONS:
        result = measured(*action, "torch", "-i", index.index_url)
        assert f"403 {ESCAPED}" in result.output
    index.faults["/simple/torch/"] = Fault(status=status, reason=SHOWN)
    for action in ACTIONS[1:]:
        measured(*action, "torch", "-i", index.index_url, "-v", code=1)
    measured("check", f"{index.index_url}torch/", code=1, program=PUBLISHER)


PLUGIN = "npu-variant-provider"
#: What a plugin does: its code, what it requires, and what is said of it.
PLUGINS: Mapping[str, tuple[str, list[str], str]] = {
    "its error": (f"raise ValueError({SHOWN!r})", [], f"ValueError: {ESCAPED}"),
    "a line": ("raise ValueError('x\\nWARNING: forged')", [], r"x\nWARNING: forged"),
    "a URL": ("", [f"dep @ https://x.example/{SHOWN}/dep-1-py3-none-any.whl"], "x.exa"),
    "a requirement": ("", [f"dep=={SHOWN}"], "cannot be installed"),
    "its server": ("", [], f"cannot be installed: 403 Client Error: {ESCAPED}"),
}


@pytest.mark.parametrize("case", PLUGINS)
def test_what_a_plugin_says(
    measured: Callable[..., Result], index: IndexServer, tmp_path: Path, case: str
) -> None:
    code, requires, told = PLUGINS[case]
    manifest = make_manifest(
        {"npu1": ["npu :: kind :: b1"]},
        providers={"npu": PluginSpec([PLUGIN], "npu_plugin")},
    )
    index.add_release("torch", "2.8.0", {}, manifest=manifest)
    files = {"npu_plugin.py": code}
    index.add(make_wheel(PLUGIN, "1.0", files=files, requires=requires))
    if case == "its server":
        wheel = "npu_variant_provider-1.0-py3-none-any.whl"
        index.fault(wheel, status=403, reason=SHOWN)
    trust = [f"--trust-variant-provider={name}" for name in (PLUGIN, "dep")]
    own = tmp_path / "manifest.json"
    own.write_text(json.dumps(manifest))
    for action in (*(["torch", *action] for action in ACTIONS), ["host"]):
        named, command = action[0], action[1:]
        if named == "host":
            command, named = ["variants", "host", "--manifest"], str(own)
        result = measured(*command, named, "-i", index.index_url, *trust)
        assert told in result.output
        assert "\nWARNING: forged" not in result.output


def test_what_is_published(measured: Callable[..., Result], tmp_path: Path) -> None:
    """The names of files and of what they hold are shown by each command."""
    dist = tmp_path / "dist"
    dist.mkdir()
    plain = make_wheel("demo", "1.0").write_to(dist)
    labeled = make_wheel("demo", "1.0", label="a", variant_json=b"{").write_to(dist)
    with zipfile.ZipFile(plain, "a") as archive:
        archive.writestr(f"../{SHOWN}", b"")
    with zipfile.ZipFile(labeled, "a") as archive:
        archive.writestr(f"demo/{SHOWN}", b"")
    for name in (f"{SHOWN}-1.0.tar.gz", f"{SHOWN}-1.0-py3-none-any.whl"):
        (dist / name).write_bytes(b"")
    (dist / f"{SHOWN}-1.0-variants.json").write_text(json.dumps({SHOWN: SHOWN}))
    result = measured("check", dist, code=1, program=PUBLISHER)
    assert f"Invalid file name: '{ESCAPED}-1.0.tar.gz'" in result.stdout
    assert f"Entry '../{ESCAPED}' is not a path inside the archive" in result.stdout
    assert f"RECORD does not list demo/{ESCAPED}" in result.stdout
    result = measured("check", "--json", dist, code=1, program=PUBLISHER)
    assert result.stdout.isascii()
    result = measured("index", dist, "--simple", code=1, program=PUBLISHER)
    assert f"{ESCAPED}-1.0.tar.gz" in result.stderr
    result = measured("build", plain, "--null", code=1, program=PUBLISHER)
    assert "error: Cannot build a variant from " in result.stderr


@pytest.mark.parametrize("label", [".", ".."])
def test_a_label_that_is_the_name_of_a_folder(
    measured: Callable[..., Result],
    venv: Environment,
    index: IndexServer,
    tmp_path: Path,
    label: str,
) -> None:
    """It is one by the grammar, and nothing is named after it alone."""
    manifest = make_manifest({label: cuda("12.8")})
    index.add_release("demo", "1.0", {}, manifest=manifest)
    result = measured("install", "demo", "-i", index.index_url)
    assert f"Using demo 1.0, variant {label}" in result.stdout
    assert venv.installed()["demo"] == "1.0"
    lock = tmp_path / "pylock.toml"
    measured("lock", "demo", "-i", index.index_url, "-o", lock)
    target = tmp_path / "below" / "lib"
    measured("install", "-r", lock, "--target", target)
    assert [path.name for path in (tmp_path / "below").iterdir()] == ["lib"]
    name = f"demo-1.0-py3-none-any-{label}.whl"
    measured("download", "demo", "-i", index.index_url, "-d", tmp_path / "got")
    assert [path.name for path in (tmp_path / "got").iterdir()] == [name]
