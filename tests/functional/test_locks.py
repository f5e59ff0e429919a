"""``pip lock``: all builds of a release, and with which of them each package is needed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import tomli

from tests.lib.environments import Environment
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.locks import TORCH, add_torch, add_variants
from tests.lib.manifests import cuda, for_versions_of, make_manifest
from tests.lib.wheels import DistFile, make_sdist, make_wheel

pytestmark = pytest.mark.locks

DATA = Path(__file__).resolve().parents[1] / "data"


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with torch, whose builds need different things."""
    return add_torch(index)


def lock(
    venv: Environment, index: IndexServer, *arguments: str | Path, **options: Any
) -> dict[str, Any]:
    """Lock and return the file's content."""
    command = ["lock", "-q", "-i", index.index_url, "-o", "pylock.toml"]
    venv.pip(*command, *arguments, **options)
    return tomli.loads((venv.work / "pylock.toml").read_text("utf-8"))


def markers(content: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the markers by ``name version``, without what is the same in all."""
    return {
        f"{package['name']} {package['version']}": package.get("marker", "")
        .replace(" in dependency_groups", "")
        .replace("variant-", "")
        .replace('"', "")
        or None
        for package in content["packages"]
    }


def wheels(content: Mapping[str, Any], name: str) -> list[str]:
    """Return the labels of the wheels of a package, ``plain`` for none."""
    (package,) = (each for each in content["packages"] if each["name"] == name)
    parts = [
        wheel["name"].removesuffix(".whl").split("-") for wheel in package["wheels"]
    ]
    return [each[5] if len(each) > 5 else "plain" for each in parts]


def test_what_each_build_needs(venv: Environment, torch: IndexServer) -> None:
    # The manifest may describe more than there is.
    torch.projects["torch"] = [
        each for each in torch.projects["torch"] if "cu126" not in each.file.filename
    ]
    torch.add(make_wheel("common", "2.0"))
    (venv.work / "constraints.txt").write_text("common<2\n", encoding="utf-8")
    options = ["-c", "constraints.txt", "-o", "pylock.toml"]
    result = venv.pip("lock", "torch", "-i", torch.index_url, *options)
    assert "\n".join(line for line in result.lines if "variants" in line) == (
        "Locking the variants cu128, null and the plain wheel of torch 2.8.0\n"
        "The lock file contains variants: only installers that know variant labels can "
        "read it, on any platform. For a file that every installer can read, add "
        "--no-variants."
    )
    content = tomli.loads((venv.work / "pylock.toml").read_text("utf-8"))
    assert markers(content) == {
        "common 1.0": None,
        "cpu-lib 1.0": "torch-null or torch-plain",
        "cuda-lib 12.8": "torch-cu128",
        "torch 2.8.0": None,
    }
    assert content["packages"][2]["marker"] == (
        '"variant-torch-cu128" in dependency_groups'
    )
    assert content["default-groups"] == [
        f"variant-torch-{label}" for label in ("cu128", "null", "plain")
    ]
    assert wheels(content, "torch") == ["cu128", "null", "plain"]
    (package,) = (each for each in content["packages"] if each["name"] == "torch")
    described = {label: TORCH["variants"][label] for label in ("cu128", "null")}
    assert package["variants-json"] == {**TORCH, "variants": described}
    name = "torch-2.8.0-py3-none-any-cu128.whl"
    entry = torch.find(name)
    assert entry is not None
    assert package["wheels"][0] == {
        "name": name,
        "url": torch.file_url(name),
        "hashes": {"sha256": entry.file.sha256},
    }


def test_the_machine_does_not_matter(venv: Environment, torch: IndexServer) -> None:
    # Nor does a release suit less that nothing here can run.
    gpu = make_manifest({"cu130": cuda("13.0")})
    add_variants(torch, "torch", "2.9.0", gpu, {"cu130": ["common"]})
    without = lock(venv, torch, "torch")
    assert wheels(without, "torch") == ["cu130"]
    assert lock(venv, torch, "torch", env=forced("12.8")) == without
    host = ["--variant-host", "cuda-12.8-sm_90"]
    assert lock(venv, torch, "torch", *host) == without


class TestRequests:
    """What is asked of the index for a lock file: of each build, only its metadata."""

    @pytest.mark.parametrize("has_metadata", [True, False])
    def test_metadata_alone(
        self, venv: Environment, torch: IndexServer, has_metadata: bool
    ) -> None:
        torch.pages.core_metadata = has_metadata
        content = lock(venv, torch, "torch")
        assert len(markers(content)) == 5
        paths = [path for _, path in torch.log()]
        assert not has_metadata or len(paths) == len(set(paths))
        for request in torch.requests:
            if request.path.endswith(".whl") and "/torch-" in request.path:
                assert not has_metadata
                assert request.method == "HEAD" or "range" in request.headers

    def test_whole_wheels(self, venv: Environment, torch: IndexServer) -> None:
        expected = lock(venv, torch, "torch")
        torch.pages.core_metadata = False
        torch.hide_sizes()
        torch.pages.hashes = False
        command = ["lock", "torch", "-i", torch.index_url, "-o", "pylock.toml"]
        result = venv.pip(*command)
        assert tomli.loads((venv.work / "pylock.toml").read_text("utf-8")) == expected
        said = [line for line in result.lines if "to read its dependencies" in line]
        assert [line.split()[1] for line in said] == [
            f"torch-2.8.0-py3-none-any{label}.whl"
            for label in ("", "-cu126", "-cu128", "-null")
        ]
        assert "its server does not support range requests" in said[0]
        # All but these are downloaded for their hashes.
        assert any("to compute its hash" in line for line in result.lines)

    def test_folders(self, venv: Environment, torch: IndexServer) -> None:
        torch.write_directory(venv.work / "links")
        command = ["lock", "torch", "--no-index", "--find-links", "links"]
        venv.pip(*command, "-o", "pylock.toml")
        content = tomli.loads((venv.work / "pylock.toml").read_text("utf-8"))
        assert len(markers(content)) == 5
        assert wheels(content, "torch") == ["cu126", "cu128", "null", "plain"]


@pytest.mark.parametrize(
    ("options", "locked"),
    [
        (["--variant", "cu128"], ["cu128"]),
        (["--variant", "torch=cu128", "--variant", "torch=null"], ["cu128", "null"]),
    ],
)
def test_fewer_builds(
    venv: Environment, torch: IndexServer, options: list[str], locked: Sequence[str]
) -> None:
    content = lock(venv, torch, "torch", *options)
    assert wheels(content, "torch") == locked
    (package,) = (each for each in content["packages"] if each["name"] == "torch")
    assert list(package["variants-json"]["variants"]) == locked
    looked_at = {path for _, path in torch.log() if "/torch-2.8.0-py3" in path}
    assert looked_at == {
        f"/files/torch-2.8.0-py3-none-any-{label}.whl.metadata" for label in locked
    }
    if len(locked) == 1:
        assert "default-groups" not in content
        assert set(markers(content).values()) == {None}


def test_builds_that_need_the_same(venv: Environment, index: IndexServer) -> None:
    add_variants(
        index, "torch", "2.8.0", TORCH, {label: ["lib"] for label in TORCH["variants"]}
    )
    index.add(make_wheel("lib", "1.0"))
    content = lock(venv, index, "torch")
    assert markers(content) == {"lib 1.0": None, "torch 2.8.0": None}
    assert "default-groups" not in content


def test_markers_for_variants(venv: Environment, index: IndexServer) -> None:
    requires = [
        "gpu-lib; 'nvidia' in variant_namespaces",
        "new-lib; 'nvidia :: cuda_version_lower_bound :: 12.8' in variant_properties",
        "cpu-lib; variant_label == 'null'",
    ]
    add_variants(
        index, "torch", "2.8.0", TORCH, dict.fromkeys(TORCH["variants"], requires)
    )
    for name in ("gpu-lib", "new-lib", "cpu-lib"):
        index.add(make_wheel(name, "1.0"))
    assert markers(lock(venv, index, "torch")) == {
        "cpu-lib 1.0": "torch-null",
        "gpu-lib 1.0": "torch-cu126 or torch-cu128",
        "new-lib 1.0": "torch-cu128",
        "torch 2.8.0": None,
    }


class TestDependsOnMachine:
    """What a variant needs depends on which of several values a machine supports."""

    def add(self, index: IndexServer, *requires: str) -> None:
        needs = {"cu126": requires, "null": ()}
        add_variants(index, "torch", "2.8.0", TORCH, needs)

    def test_it_is_refused(self, venv: Environment, index: IndexServer) -> None:
        marker = "'nvidia :: sm_arch :: 80_real' in variant_properties"
        self.add(index, f"lib; {marker}")
        index.add(make_wheel("lib", "1.0"))
        command = ["lock", "torch", "-i", index.index_url]
        result = venv.pip(*command, code=1)
        assert "error: variant-lock-conditions" in result.stderr
        assert "Cannot lock the variant 'cu126' of torch 2.8.0:" in result.stderr
        assert f"It requires lib; {marker}." in result.stderr
        assert "may lack nvidia :: sm_arch :: 80_real" in result.stderr
        assert not (venv.work / "pylock.toml").exists()
        # Each of the hints helps.
        content = lock(venv, index, "torch", "--variant", "torch=null")
        assert wheels(content, "torch") == ["null"]
        index.add(make_wheel("torch", "2.8.0"))
        content = lock(venv, index, "torch", "--no-variants")
        assert wheels(content, "torch") == ["plain"]


def test_versions_differ_if_they_must(venv: Environment, index: IndexServer) -> None:
    needs = {"cu126": ["files"], "cu128": ["files<2"], "null": ["files"]}
    add_variants(index, "torch", "2.8.0", TORCH, needs)
    add_variants(index, "vision", "1.0", TORCH, {label: ["names"] for label in needs})
    for name in ("files", "names"):
        index.add(make_wheel(name, "1.0"))
        index.add(make_wheel(name, "2.0"))
    index.add(make_wheel("app", "1.0", requires=["files", "vision"]))
    assert markers(lock(venv, index, "app", "torch", "names")) == {
        "app 1.0": None,
        "files 1.0": "torch-cu128",
        "files 2.0": "torch-cu126 or torch-null",
        "names 2.0": None,
        "torch 2.8.0": None,
        "vision 1.0": None,
    }


def test_builds_that_disagree(venv: Environment, index: IndexServer) -> None:
    one, two = make_manifest({"a": cuda("12.0")}), make_manifest({"b": cuda("12.0")})
    add_variants(index, "one", "1.0", one, {"a": ["lib<2"], None: []})
    add_variants(index, "two", "1.0", two, {"b": ["lib>=2"], None: []})
    index.add(make_wheel("lib", "1.0"))
    index.add(make_wheel("lib", "2.0"))
    command = ["lock", "one", "two", "-i", index.index_url]
    result = venv.pip(*command, code=1)
    assert "error: variant-lock-conflict" in result.stderr
    assert "Cannot lock 'lib': variants that can be installed" in result.stderr
    assert "lib 1.0: one (a)" in result.stderr
    assert "lib 2.0: two (b)" in result.stderr
    # The hint helps.
    content = lock(venv, index, "one", "two", "--variant", "one=a")
    assert markers(content)["lib 1.0"] is None or "two" not in str(markers(content))


def test_a_build_that_does_not_fit(venv: Environment, torch: IndexServer) -> None:
    torch.add(make_wheel("app", "1.0", requires=["torch", "cuda-lib!=12.8"]))
    command = ["lock", "app", "-i", torch.index_url, "-o", "pylock.toml"]
    result = venv.pip(*command)
    content = tomli.loads((venv.work / "pylock.toml").read_text("utf-8"))
    assert wheels(content, "torch") == ["cu126", "null", "plain"]
    assert "Leaving the variant 'cu128' of torch 2.8.0 out of the lock" in result.stderr
    assert "torch 2.8.0 requires cuda-lib==12.8" in result.stderr
    assert "app 1.0 requires cuda-lib!=12.8" in result.stderr


def test_builds_for_versions_of_lib(venv: Environment, index: IndexServer) -> None:
    manifest = make_manifest(for_versions_of("lib", "2.7", "2.8"))
    index.add_release("ext", "1.0", {}, manifest=manifest, plain=False)
    for version in ("2.7.0", "2.8.0"):
        index.add(make_wheel("lib", version))
    assert markers(lock(venv, index, "ext", "lib")) == {
        "ext 1.0": None,
        "lib 2.7.0": "ext-t27",
        "lib 2.8.0": "ext-t28",
    }
    content = lock(venv, index, "ext", "lib==2.7.0")
    assert markers(content) == {"ext 1.0": None, "lib 2.7.0": None}
    assert wheels(content, "ext") == ["t27"]


class TestOptions:
    """Options that upstream has work with variants too."""

    def test_only_deps(self, venv: Environment, torch: IndexServer) -> None:
        torch.add(make_wheel("app", "1.0", requires=["torch"]))
        content = lock(venv, torch, "app", "--only-deps")
        assert "app 1.0" not in markers(content)
        assert markers(content)["cuda-lib 12.8"] == "torch-cu128"
        command = ["lock", "torch", "--only-deps", "-i", torch.index_url]
        result = venv.pip(*command, code=1)
        assert "error: variant-lock-conflict" in result.stderr
        assert "Cannot lock cpu-lib 1.0: whether it is needed depends" in result.stderr
        content = lock(venv, torch, "torch", "--only-deps", "--variant", "cu126")
        assert markers(content) == {"common 1.0": None, "cuda-lib 12.6": None}

    def test_extras(self, venv: Environment, index: IndexServer) -> None:
        add_variants(
            *(index, "torch", "2.8.0", TORCH, {"cu128": [], None: []}),
            extras={"x": ["gpu-lib; 'nvidia' in variant_namespaces", "any-lib"]},
        )
        for name in ("gpu-lib", "any-lib"):
            index.add(make_wheel(name, "1.0"))
        assert markers(lock(venv, index, "torch[x]")) == {
            "any-lib 1.0": None,
            "gpu-lib 1.0": "torch-cu128",
            "torch 2.8.0": None,
        }

    def test_a_wheel_by_address(self, venv: Environment, torch: IndexServer) -> None:
        # A GPU that this machine need not have.
        url = torch.url + torch.file_path("torch-2.8.0-py3-none-any-cu128.whl")
        # This makes pip read all variants of torch.
        torch.add_release(
            "user", "1.0", for_versions_of("torch", "2.8"), requires=["torch"]
        )
        content = lock(venv, torch, url, "user")
        (package,) = (each for each in content["packages"] if each["name"] == "torch")
        assert package["archive"]["url"] == url
        assert package.keys() & {"wheels", "variants-json"} == set()
        assert not any("marker" in package for package in content["packages"])


def test_an_older_release_with_variants(venv: Environment, torch: IndexServer) -> None:
    torch.add(make_sdist("torch", "2.9.0"))
    content = lock(venv, torch, "torch")
    (package,) = content["packages"]
    assert package["version"] == "2.9.0"
    assert "sdist" in package


def test_a_broken_manifest(venv: Environment, torch: IndexServer) -> None:
    torch.add(DistFile("torch", "2.8.0", "torch-2.8.0-variants.json", b"{"))
    result = venv.pip("lock", "torch", "-i", torch.index_url)
    assert "Ignoring the variant wheels of torch 2.8.0" in result.stderr
    content = tomli.loads((venv.work / "pylock.toml").read_text("utf-8"))
    assert wheels(content, "torch") == ["plain"]


@pytest.mark.process
@pytest.mark.on_wheel
def test_readers(
    venv: Environment, upstream_venv: Environment, torch: IndexServer
) -> None:
    """They install what is needed, or refuse."""
    lock(venv, torch, "torch")
    path = venv.work / "pylock.toml"
    result = upstream_venv.pip("install", "-r", path, code=1)
    said = "Invalid wheel filename 'torch-2.8.0-py3-none-any-cu126.whl'"
    assert said in result.stderr
    assert upstream_venv.installed() == {}
    pytest.importorskip("uv", reason="uv is not installed")
    uv = [sys.executable, "-m", "uv", "pip", "install", "--no-cache"]
    uv += ["--preview-features", "wheel-variants,pylock"]
    uv += ["--python", str(venv.python), "-r", "pylock.toml"]
    result = venv.run(*uv, code=2, env=forced("12.8"))
    assert "Multiple active package entries found for `cuda-lib`" in result.output
    assert venv.installed() == {}
    # Without two versions of a package, there is nothing to refuse.
    needs = {"cu128": ["common"], "null": ["cpu-lib"], None: ["cpu-lib"]}
    add_variants(torch, "kernels", "1.0", TORCH, needs)
    lock(venv, torch, "kernels")
    venv.run(*uv, env=forced("12.8"))
    assert venv.installed().keys() == {"common", "cpu-lib", "kernels"}


def test_what_the_picture_shows(venv: Environment, index: IndexServer) -> None:
    """Of docs/locks.md, which is drawn from the same data."""
    data = tomli.loads((DATA / "lock-picture.toml").read_text(encoding="utf-8"))
    project, version = data["project"], data["version"]
    manifest = make_manifest(
        {
            label: {key: value for key, value in build.items() if key != "needs"}
            for label, build in data["builds"].items()
        }
    )
    for label, build in data["builds"].items():
        own = {**manifest, "variants": {label: manifest["variants"][label]}}
        index.add(
            make_wheel(
                *(project, version),
                label=label,
                variant_json=own,
                requires=build["needs"],
            )
        )
    for package in data["locked"]:
        if package["name"] != project:
            index.add(make_wheel(package["name"], package["version"]))
    content = lock(venv, index, project)
    builds = sorted(data["builds"])
    assert wheels(content, project) == builds
    locked = markers(content)
    for each in data["locked"]:
        marker = locked.pop(f"{each['name']} {each['version']}")
        groups = {f"{project}-{label.replace('.', '-')}" for label in each["with"]}
        assert each["with"] == builds if marker is None else groups <= {*marker.split()}
    assert locked == {}
    for machine in data["machines"]:
        host = ["--variant-host", machine["host"]]
        result = venv.pip("install", "--dry-run", "-r", "pylock.toml", *host)
        (line,) = (each for each in result.lines if each.startswith("Would install"))
        for what in machine["gets"]:
            assert what in line
        assert line.count("-") == sum(each.count("-") for each in machine["gets"])
