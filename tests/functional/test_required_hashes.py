"""If hashes are required, pip reads nothing in a wheel before it has checked the hash."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda, make_manifest, manifest_file, variant_json
from tests.lib.wheels import DistFile, make_wheel

GPU = forced("12.8")
LABELS = ("cu126", "cu128", "cu130")
MANIFEST = make_manifest({label: cuda(f"{label[2:4]}.{label[4]}") for label in LABELS})


def make(label: str | None, files: Mapping[str, bytes] | None = None) -> DistFile:
    stated = None if label is None else variant_json(MANIFEST, label)
    return make_wheel("lib", "1.0", label=label, variant_json=stated, files=files)


@pytest.fixture
def lib(index: IndexServer) -> IndexServer:
    """Return an index without manifests that has variants and a plain wheel."""
    for label in (*LABELS, None):
        index.add(make(label))
    return index


def digest(index: IndexServer, label: str | None) -> str:
    """Return the hash of the wheel with this label."""
    suffix = "-any.whl" if label is None else f"-{label}.whl"
    (found,) = (
        entry.file.sha256
        for entry in index.projects["lib"]
        if entry.file.filename.endswith(suffix)
    )
    return found


def requests(index: IndexServer) -> list[tuple[str, str]]:
    """Return the method and label of each request for a wheel; none is for a part."""
    found = [each for each in index.requests if each.path.startswith("/files/")]
    assert not any("range" in each.headers for each in found)
    names = [each.path.removesuffix(".metadata") for each in found]
    assert names == [each.path for each in found]
    labels = [name.removesuffix(".whl").rpartition("-")[2] for name in names]
    return [(each.method, label) for each, label in zip(found, labels, strict=True)]


Run = Callable[..., Result]


@pytest.fixture
def run(venv: Environment, lib: IndexServer) -> Run:
    """Return a function that installs lib with certain hashes."""

    def run(
        *labels: str | None,
        options: tuple[str, ...] = (),
        requirement: str = "lib==1.0",
        code: int = 0,
    ) -> Result:
        hashes = [f"--hash=sha256:{digest(lib, label)}" for label in labels]
        line = " ".join((requirement, *hashes))
        (venv.work / "requirements.txt").write_text(f"{line}\n", "utf-8")
        lib.clear_log()
        command = ["install", "-r", "requirements.txt", "-i", lib.index_url]
        return venv.pip(*command, *options, env=GPU, code=code)

    return run


#: The pinned labels, further options, the requests for wheels and the installed label.
CASES: Mapping[
    str, tuple[tuple[str | None, ...], tuple[str, ...], list[str], str | None]
] = {
    "one of two that run": (("cu126",), (), ["cu126"], "cu126"),
    "both that run": (("cu126", "cu128"), (), ["cu126", "cu128"], "cu128"),
    "one that does not run": (("cu126", "cu130"), (), ["cu126", "cu130"], "cu126"),
    "none that runs, and a plain one": (("cu130", None), (), ["cu130", "any"], None),
    "no variants": ((*LABELS, None), ("--no-variants",), ["any"], None),
    "fast-deps": (
        ("cu126", "cu128", None),
        ("--use-feature=fast-deps",),
        ["cu126", "cu128"],
        "cu128",
    ),
    "strict": (("cu126", "cu128"), ("--strict-variants",), ["cu126", "cu128"], "cu128"),
}


@pytest.mark.on_wheel
@pytest.mark.parametrize("case", CASES)
def test_each_pinned_wheel_is_sent_whole_and_once(
    case: str, run: Run, lib: IndexServer, venv: Environment
) -> None:
    pinned, options, sent, installed = CASES[case]
    result = run(*pinned, options=options)
    assert sorted(requests(lib)) == [("GET", each) for each in sorted(sent)]
    assert "ignor" not in result.stderr
    found = venv.pip("show", "lib").stdout
    assert (f"Variant: {installed}" in found) == (installed is not None)
    assert ("Variant: " in found) == (installed is not None)


def test_pip_says_why_it_downloads_several(run: Run) -> None:
    said = run("cu126", "cu128").output
    assert (
        "Downloading the variants cu126, cu128 of lib 1.0 to compare them, because hashes "
        "are required and "
    ) in said
    assert "To download only one: --variant lib=LABEL" in said
    assert "to compare them" not in run("cu126").output


def test_a_wheel_that_was_tampered_with(
    run: Run, lib: IndexServer, venv: Environment
) -> None:
    """It is an error as with stock pip, whatever else is pinned."""
    good = digest(lib, "cu128")
    other = make("cu128", files={"lib/evil.py": b""})
    lib.replace(other.filename, file=other, sha256=good)
    for options in ((), ("--strict-variants",), ("--variant", "lib=cu128")):
        hashes = f"--hash=sha256:{good} --hash=sha256:{digest(lib, None)}"
        result = run(options=options, requirement=f"lib==1.0 {hashes}", code=1)
        assert "THESE PACKAGES DO NOT MATCH THE HASHES" in result.stderr
        assert "lib==1.0" in result.stderr
        assert requests(lib) == [("GET", "cu128")]
    assert venv.installed() == {}


@pytest.mark.parametrize("has_manifest", [False, True])
@pytest.mark.parametrize("place", ["page", "folder"])
def test_a_page_without_hashes(
    run: Run, lib: IndexServer, venv: Environment, has_manifest: bool, place: str
) -> None:
    """Pip finds the pinned file, and does not call the others tampered with."""
    options: tuple[str, ...] = ()
    if has_manifest:
        lib.add(manifest_file("lib", "1.0", MANIFEST))
    lib.pages.hashes = False
    if place == "folder":
        lib.write_directory(venv.work / "wheels")
        options = ("--no-index", "--find-links", "wheels")
    said = "'cu126' would run, but cannot be installed: no file with an allowed hash"
    for label in (None, "cu126"):
        result = run(label, options=options)
        assert (said in result.stderr) == (has_manifest and label is None)
        sent = [each for _, each in requests(lib) if each != "variants.json"]
        assert len(sent) == len(set(sent))
        assert ("Variant: cu126" in venv.pip("show", "lib").stdout) == bool(label)
        venv.pip("uninstall", "-y", "lib")
    # Where a variant that does not run here may be the pinned one, nothing is wrong with
    # the others.
    wrong = f"lib==1.0 --hash=sha256:{'0' * 64}"
    result = run(requirement=wrong, options=options, code=1)
    said = "cu126: no file with an allowed hash" if has_manifest else "DO NOT MATCH"
    assert result.stderr.count(said) == 1
    assert ("cu130 needs CUDA 13.0" in result.stderr) == has_manifest
    assert venv.installed() == {}


def test_a_local_wheel(venv: Environment, run: Run, lib: IndexServer) -> None:
    """By its path too, the hash comes before all else."""
    lib.write_directory(venv.work)
    (venv.work / make("cu128").filename).write_bytes(b"no wheel at all")
    url = (venv.work / make("cu128").filename).as_uri()
    requirement = f"lib @ {url} --hash=sha256:{digest(lib, 'cu128')}"
    result = run(requirement=requirement, code=1)
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in result.stderr


def test_variants_explain_reads_nothing(venv: Environment, lib: IndexServer) -> None:
    command = ["variants", "explain", "lib", "--require-hashes", "-i", lib.index_url]
    said = " ".join(venv.pip(*command, env=GPU).output.split())
    assert "pip reads no wheel before checking its hash" in said
    assert requests(lib) == []
