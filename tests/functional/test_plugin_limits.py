"""What limits installations limits plugins, and files widen nothing.

Each version of the plugin supports another value, so the variant that is taken tells
which version ran.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, make_manifest
from tests.lib.wheels import DistFile, make_sdist, make_wheel

PLUGIN = "npu-variant-provider"
TRUST = ["--trust-variant-provider", PLUGIN]
_OLD, _MIDDLE, _NEW = (f"{year}-01-01T00:00:00Z" for year in (2020, 2022, 2024))

#: The versions on the index, and when they were uploaded. 4.0 is elsewhere.
VERSIONS = {"1.0": _OLD, "2.0": _MIDDLE, "3.0rc1": _MIDDLE}
ELSEWHERE = "4.0"


def plugin(version: str, name: str = PLUGIN, **more: Any) -> DistFile:
    """Make the plugin in a version, of which a value of the same number is supported."""
    code = f"""\
class Feature:
    name, values, multi_value = "kind", ["b{version[0]}"], False

def get_supported_configs():
    return [Feature]
"""
    return make_wheel(name, version, files={"npu_plugin.py": code}, **more)


@dataclass(frozen=True, slots=True)
class Row:
    """What is said, and what it does to the plugin.

    Texts may hold ``{sha_VERSION}`` of the plugin without dots, ``{other}``, the URL of
    another index, and ``{folder}``, a folder: both have all that the index has, but
    version 4.0 of the plugin.

    :param requirements: what a requirements file says beside the name of the package.
    :param constraints: a constraints file, which only *options* and *files* name.
    :param files: further files.
    :param requires: what the manifest requires.
    :param runs: the version that runs; None for none.
    :param told: what the user is told if none runs.
    """

    options: Sequence[str] = ()
    requirements: str | None = None
    constraints: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    requires: str = f"{PLUGIN}>=1"
    runs: str | None = "2.0"
    told: str = ""


_C = ("-c", "c.txt")
_HASHED = f"{PLUGIN}==1.0 --hash=sha256:{{sha_10}}"
_NEEDS_PRE = "--pre and --all-releases also apply to plugins"

TABLE: Mapping[str, Row] = {
    "nothing": Row(),
    # When it was uploaded
    "cutoff": Row(["--uploaded-prior-to", "2021-01-01"], runs="1.0"),
    # Constraints
    "constraint": Row(_C, constraints=f"{PLUGIN}==1.0", runs="1.0"),
    "constraint of a requirements file": Row(
        requirements="-c c.txt", constraints=f"{PLUGIN}<2", runs="1.0"
    ),
    "constraint for builds": Row(
        ["--build-constraint", "c.txt"], constraints=f"{PLUGIN}<2", runs="1.0"
    ),
    "constraint to a URL": Row(
        _C,
        constraints=f"{PLUGIN} @ {{other_wheel}}",
        runs=None,
        told="but plugins come only from indexes",
    ),
    # Kinds of files
    "none of its binaries": Row(
        ["--no-binary", PLUGIN],
        runs=None,
        told=f"--no-binary excludes wheels of {PLUGIN}",
    ),
    "binaries again in a requirements file": Row(
        ["--no-binary", PLUGIN],
        requirements="--only-binary :all:",
        runs=None,
        told=f"--no-binary excludes wheels of {PLUGIN}",
    ),
    # Pre-releases
    "pre-releases": Row(["--pre"], runs="3.0rc1"),
    "pre-releases in a requirements file": Row(requirements="--pre"),
    "no pre-releases in a requirements file": Row(
        ["--pre"], requirements=f"--only-final {PLUGIN}"
    ),
    "pre-release by name": Row(
        requires=f"{PLUGIN}==3.0rc1", runs=None, told=_NEEDS_PRE
    ),
    "pre-release by a constraint": Row(
        _C, constraints=f"{PLUGIN}==3.0rc1", runs=None, told=_NEEDS_PRE
    ),
    # Hashes
    "hashes required": Row(
        requirements="--require-hashes",
        runs=None,
        told=f"--require-hashes needs a hash for {PLUGIN}",
    ),
    "hash in constraints": Row(_C, constraints=_HASHED, runs="1.0"),
    "hash of another version": Row(
        _C,
        constraints=f"{PLUGIN}==1.0 --hash=sha256:{{sha_20}}",
        runs=None,
        told="DO NOT MATCH THE HASHES",
    ),
    # Where it comes from
    "another index": Row(["--extra-index-url", "{other}"], runs="4.0"),
    "no index": Row(["--no-index", "--find-links", "{folder}"], runs="4.0"),
    "another index in a requirements file": Row(
        requirements="--extra-index-url {other}"
    ),
    "no index but a folder in a requirements file": Row(
        requirements="--no-index\n--find-links {folder}",
        runs=None,
        told=f"No matching distribution found for {PLUGIN}",
    ),
    "another index in a constraints file": Row(
        _C, constraints="--extra-index-url {other}\n--find-links {folder}\n--pre"
    ),
    "a host without certificates in a requirements file": Row(
        requirements="--trusted-host npu.example:8443",
        runs=None,
        told="add --trusted-host npu.example:8443 on the command line",
    ),
    "a host that the user names too": Row(
        ["--trusted-host", "npu.example"], requirements="--trusted-host npu.example"
    ),
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where the rows of the table are tried."""

    venv: Environment
    index: IndexServer
    values: Mapping[str, str]

    def write(self, row: Row, *lines: str) -> list[str]:
        """Write the files of a row; return the options that name the requirements."""
        files = {"c.txt": row.constraints, **row.files}
        if row.requirements is not None:
            files["r.txt"] = "\n".join([row.requirements, *lines])
        for name, text in files.items():
            path = self.venv.work / name
            path.write_text(text.format(**self.values), encoding="utf-8")
        return [] if row.requirements is None else ["-r", "r.txt"]

    def run(self, row: Row, *command: str | Path, code: int | None = 0) -> Result:
        """Run a command with the options of a row."""
        return self.venv.pip(
            *command,
            *("-i", self.index.index_url, *TRUST),
            *(option.format(**self.values) for option in row.options),
            env={name: text.format(**self.values) for name, text in row.env.items()},
            code=code,
        )


def fill(index: IndexServer, requires: str) -> None:
    """Add a package with variants that the plugin judges, and that pins nothing else."""
    index.page_format = "json"
    labels = {f"npu{n}": [f"npu :: kind :: b{n}"] for n in range(1, 5)}
    manifest = make_manifest(
        labels, providers={"npu": PluginSpec([requires], "npu_plugin")}
    )
    index.add_release("kernels", "1.0", {}, manifest=manifest)
    for entry in index.projects["kernels"]:
        index.replace(entry.file.filename, upload_time=_OLD)


@pytest.fixture
def place(
    venv: Environment, index: IndexServer, make_index: Callable[[], IndexServer]
) -> Callable[[str], Place]:
    """Return what makes two indexes and a folder, for what a manifest requires."""

    def make(requires: str) -> Place:
        values = {}
        fill(index, requires)
        for version, uploaded in VERSIONS.items():
            wheel = plugin(version)
            index.add(wheel, upload_time=uploaded)
            values[f"sha_{version.replace('.', '')}"] = wheel.sha256
        other, folder = make_index(), venv.root / "folder"
        fill(other, requires)
        other.add(plugin(ELSEWHERE), upload_time=_OLD)
        other.write_directory(folder)
        values["other"] = other.index_url
        values["other_wheel"] = other.file_url(plugin(ELSEWHERE).filename)
        values["folder"] = str(folder)
        return Place(venv, index, values)

    return make


@pytest.mark.parametrize("name", TABLE)
def test_what_it_does_to_a_plugin(place: Callable[[str], Place], name: str) -> None:
    row = TABLE[name]
    here = place(row.requires)
    kernels = "kernels"
    if "--hash" in row.constraints or "--require-hashes" in (row.requirements or ""):
        hashes = [
            f"--hash=sha256:{entry.file.sha256}"
            for entry in here.index.projects["kernels"]
        ]
        kernels = " ".join(["kernels==1.0", *hashes])
        if row.requirements is None:
            (here.venv.work / "k.txt").write_text(kernels, encoding="utf-8")
            named = ["-r", "k.txt", *here.write(row)]
        else:
            named = here.write(row, kernels)
    else:
        named = here.write(row, kernels) or [kernels]
    result = here.run(row, "install", "--dry-run", *named)
    if "--hash" in row.constraints:
        # Nothing of a wheel is read before its hash has passed.
        metadata = f"/files/{plugin('1.0').filename}.metadata"
        assert ("GET", metadata) not in here.index.log()
    if row.runs is None:
        assert "Using kernels 1.0, plain wheel" in result.stdout, result
        assert f"The plugin {PLUGIN}: " in result.stderr, result
        assert row.told in result.stderr, result
    else:
        assert f", variant npu{row.runs[0]} (" in result.stdout, result
        assert "The plugin" not in result.stderr, result


# Where pip is not asked to install


@pytest.mark.parametrize(
    "command",
    [
        ("index", "versions", "kernels"),
        ("variants", "explain", "kernels"),
        ("variants", "host", "--manifest", "m.json"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_other_commands(place: Callable[[str], Place], command: Sequence[str]) -> None:
    """They are limited by what is configured, even if they have no such option."""
    here = place(PLUGIN)
    kernels = here.index.projects["kernels"]
    (manifest,) = (e.file for e in kernels if e.file.filename.endswith(".json"))
    (here.venv.work / "m.json").write_bytes(manifest.content)
    # With a plain wheel there is nothing to judge for a list of versions.
    kernels[:] = [e for e in kernels if not e.file.filename.endswith("-any.whl")]
    row = Row(env={"PIP_BUILD_CONSTRAINT": "c.txt"}, constraints=f"{PLUGIN}<2")
    here.write(row)
    here.run(row, *command)
    wheels = [path for _, path in here.index.log() if "npu_variant" in path]
    assert wheels == [
        f"/files/{plugin('1.0').filename}.metadata",
        f"/files/{plugin('1.0').filename}",
    ]


@pytest.mark.parametrize("options", [[], ["--use-feature=inprocess-build-deps"]])
def test_none_runs_for_build_requirements(
    place: Callable[[str], Place], options: list[str]
) -> None:
    here = place(Row().requires)
    here.index.add(make_sdist("app", "1.0", build_requires=["kernels"]))
    command = ["install", "-v", "--dry-run", "app", "--no-binary", "app", *options]
    result = here.run(Row(), *command)
    assert "plugins do not run for build requirements" in result.output
    paths = [path.rpartition("/")[2] for _, path in here.index.log()]
    assert "kernels-1.0-py3-none-any.whl" in paths
    assert not any(path.startswith("npu") for path in paths)
