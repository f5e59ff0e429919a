"""Replicas of the public index: the file that each simulated machine gets.

File names and manifests are the index's own, of both generations that it keeps; the
wheels are stand-ins. The expected labels were worked out manually from the manifests.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lib import public_index
from tests.lib.environments import Environment, Workshop
from tests.lib.hosts import CPU_HOSTS, HOSTS, write_host
from tests.lib.index import IndexServer

pytestmark = [
    pytest.mark.skipif(not public_index.is_present(), reason=public_index.ABSENT),
    pytest.mark.skipif(
        (sys.platform, platform.machine()) != ("linux", "x86_64"),
        reason="the replicas' wheels are for Linux on x86-64",
    ),
]

# torch 2.8.0: each build from its CUDA version on, 12.0 for cu126; cu126 has no code for
# 12.0. torch 2.9.0: cuda12.6 and cuda12.8 both want CUDA 12.0, their static priority
# decides. numpy has no wheel for "accelerate" on Linux, 2.3.3 none for x86-64 v4.
COLUMNS = (
    *("torch==2.8.0", "torch==2.9.0", "xgboost==3.1.0rc1"),
    *("numpy==2.3.3", "numpy==2.3.4"),
)
EXPECTED = """
    cuda12.6-sm7.5    cu126     cuda12.8  cu12  openblas  openblas
    cuda12.6-sm8.6    cu126     cuda12.8  cu12  openblas  openblas
    cuda12.6-sm9.0    cu126     cuda12.8  cu12  openblas  openblas
    cuda12.6-sm12.0   00000000  cuda12.8  cu12  openblas  openblas
    cuda12.8-sm7.5    cu128     cuda12.8  cu12  openblas  openblas
    cuda12.8-sm8.6    cu128     cuda12.8  cu12  openblas  openblas
    cuda12.8-sm9.0    cu128     cuda12.8  cu12  openblas  openblas
    cuda12.8-sm12.0   cu128     cuda12.8  cu12  openblas  openblas
    cuda13.0-sm7.5    cu129     cuda13.0  cu13  openblas  openblas
    cuda13.0-sm8.6    cu129     cuda13.0  cu13  openblas  openblas
    cuda13.0-sm9.0    cu129     cuda13.0  cu13  openblas  openblas
    cuda13.0-sm12.0   cu129     cuda13.0  cu13  openblas  openblas
    x86_64-v2         00000000  null      -     openblas  openblas
    x86_64-v3         00000000  null      -     openblas  openblas
    x86_64-v4         00000000  null      -     openblas  x8664v4_mkl
    none              00000000  null      -     openblas  openblas
"""
#: Releases that are built like, and share the manifest of, one of the columns.
TWINS = {
    "torchvision==0.23.0": "torch==2.8.0",
    "torchvision==0.24.0": "torch==2.9.0",
}
#: What one command asks for; together they fit, because a stand-in requires nothing.
# No two that may be for different CUDA versions: a choice that agrees would be preferred.
TOGETHER = (
    ("torch==2.8.0", "torchvision==0.23.0"),
    ("numpy==2.3.3", "xgboost==3.1.0rc1"),
    ("torch==2.9.0", "torchvision==0.24.0", "numpy==2.3.4"),
)


def _expected(host: str, release: str) -> str | None:
    """Return the label of the table, ``None`` where nothing can run."""
    (row,) = (r for r in EXPECTED.split("\n") if r.split()[:1] == [host])
    label = row.split()[1 + COLUMNS.index(TWINS.get(release, release))]
    return None if label == "-" else label


@pytest.fixture(scope="module")
def environment(
    workshop: Workshop, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    """Return one environment for all machines: nothing is installed in it."""
    return workshop.fork(tmp_path_factory.mktemp("public"))


@pytest.fixture(scope="module")
def tag(environment: Environment) -> str:
    """Return the interpreter's tag in names of wheels."""
    return environment.eval("'cp%d%d' % sys.version_info[:2]")


@pytest.fixture(scope="module", params=public_index.SCHEMAS)
def schema(request: pytest.FixtureRequest) -> str:
    """Return the folder of the index: manifests were written anew for the second."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def replica(schema: str) -> Iterator[IndexServer]:
    """Return an index with the newest releases of the four projects."""
    with IndexServer() as index:
        index.page_format = "html" if schema == "v0.0.2" else "json"
        for project, versions in (
            ("torch", ("2.7.1", "2.8.0", "2.9.0", "2.9.1")),
            ("torchvision", ("0.22.1", "0.23.0", "0.24.0")),
            ("numpy", ("2.3.2", "2.3.3", "2.3.4", "2.3.5")),
            ("xgboost", ("3.0.5", "3.1.0rc1", "3.1.1")),
        ):
            public_index.add_project(index, schema, project, *versions)
        yield index


@pytest.fixture
def download(replica: IndexServer, tmp_path: Path) -> tuple[list[str], Path]:
    """Return arguments of a download from the replica, and the folder it goes to."""
    replica.clear_log()
    folder = tmp_path / "down"
    arguments = ["download", "--no-deps", "--no-cache-dir", "-d", str(folder)]
    return [*arguments, "--index-url", replica.index_url], folder


def _file_name(schema: str, release: str, tag: str, label: str | None) -> str | None:
    """Return the one name of a release with this label for Linux on x86-64."""
    names = [
        name
        for name in public_index.file_names(schema, *release.split("=="))
        if (f"-{tag}-{tag}-" in name or "-py3-none-" in name)
        and "linux" in name
        and "musl" not in name
        and name.removesuffix(".whl").endswith(f"x86_64-{label}" if label else "x86_64")
    ]
    assert len(names) <= 1, names
    return names[0] if names else None


def _require(name: str | None, release: str, tag: str) -> str:
    if name is None:
        pytest.skip(f"the public index has no wheel of {release} for {tag}")
    return name


@pytest.mark.parametrize("releases", TOGETHER, ids=["older", "others", "newer"])
@pytest.mark.parametrize("host", HOSTS)
def test_machine_gets_the_expected_files(
    host: str,
    releases: tuple[str, ...],
    environment: Environment,
    schema: str,
    replica: IndexServer,
    tag: str,
    download: tuple[list[str], Path],
    tmp_path: Path,
) -> None:
    arguments, folder = download
    expected = {}
    for release in releases:
        label = _expected(host, release)
        if label is not None:
            name = _file_name(schema, release, tag, label)
            expected[release] = _require(name, release, tag)
    machine = write_host(tmp_path / "host.json", host)
    environment.pip(*arguments, "--variant-host", machine, *expected)
    assert {path.name for path in folder.iterdir()} == set(expected.values())
    # Each manifest and each chosen wheel is asked for once, and no other file.
    asked = sorted(path for _, path in replica.log() if path.startswith("/files/"))
    manifests = [
        "-".join(n.split("-")[:2]) + "-variants.json" for n in expected.values()
    ]
    files = [*manifests, *expected.values()]
    metadata = [f"{name}.metadata" for name in expected.values()]
    assert asked == sorted(f"/files/{name}" for name in [*files, *metadata])


@pytest.mark.parametrize("host", [*CPU_HOSTS, "none"])
def test_release_for_gpus_alone_names_what_is_missing(
    host: str,
    environment: Environment,
    download: tuple[list[str], Path],
    tmp_path: Path,
) -> None:
    arguments, folder = download
    machine = write_host(tmp_path / "host.json", host)
    result = environment.pip(
        *arguments, "--variant-host", machine, "xgboost==3.1.0rc1", code=1
    )
    assert not folder.exists() or not list(folder.iterdir())
    for label, bound in (("cu12", "12.0"), ("cu13", "13.0")):
        assert label in result.stderr
        assert f"{label} needs CUDA {bound}" in result.stderr
