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
from tests.lib.locks import TORCH, add_builds, add_torch
from tests.lib.manifests import cuda, for_versions_of, make_manifest
from tests.lib.wheels import make_sdist, make_wheel

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


TEXT = """\
lock-version = "1.0"
default-groups = [
    "variant-torch-cu128",
]
created-by = "pip"

[[packages]]
name = "cuda-lib"
version = "12.8"
marker = "\\"variant-torch-cu128\\" in dependency_groups"

[[packages.wheels]]
name = "cuda_lib-12.8-py3-none-any.whl"
url = "{url}/files/cuda_lib-12.8-py3-none-any.whl"

[packages.wheels.hashes]
sha256 = "{lib}"

[[packages]]
name = "torch"
version = "2.8.0"

[[packages.wheels]]
name = "torch-2.8.0-py3-none-any-cu128.whl"
url = "{url}/files/torch-2.8.0-py3-none-any-cu128.whl"

[packages.wheels.hashes]
sha256 = "{cu128}"

[[packages.wheels]]
name = "torch-2.8.0-py3-none-any.whl"
url = "{url}/files/torch-2.8.0-py3-none-any.whl"

[packages.wheels.hashes]
sha256 = "{plain}"

[packages.variants-json]
"$schema" = "https://variants-schema.wheelnext.dev/peps/850/v0.2.0.json"

[packages.variants-json.default-priorities]
namespace = [
    "nvidia",
]

[packages.variants-json.providers.nvidia]
requires = [
    "nvidia-variant-provider>=0.0.1,<1.0.0",
]
plugin-api = "nvidia_variant_provider.plugin:NvidiaVariantPlugin"

[packages.variants-json.variants.cu128.nvidia]
cuda_version_lower_bound = [
    "12.8",
]
sm_arch = [
    "90_real",
]
"""


def test_text(venv: Environment, index: IndexServer) -> None:
    # The manifest describes more than there is for this release.
    needs = {"cu128": ["cuda-lib"], None: []}
    add_builds(index, "torch", "2.8.0", TORCH, needs)
    index.add(make_wheel("cuda-lib", "12.8"))
    result = venv.pip("lock", "torch", "-i", index.index_url, "-o", "lock.toml")
    assert (
        "Locking the variant cu128 and the plain build of torch 2.8.0" in result.lines
    )
    digests = {
        entry.file.filename: entry.file.sha256
        for entries in index.projects.values()
        for entry in entries
    }
    assert (venv.work / "lock.toml").read_text("utf-8") == TEXT.format(
        url=index.url,
        lib=digests["cuda_lib-12.8-py3-none-any.whl"],
        cu128=digests["torch-2.8.0-py3-none-any-cu128.whl"],
        plain=digests["torch-2.8.0-py3-none-any.whl"],
    )


def test_what_each_build_needs(venv: Environment, torch: IndexServer) -> None:
    content = lock(venv, torch, "torch")
    assert markers(content) == {
        "common 1.0": None,
        "cpu-lib 1.0": "torch-null or torch-plain",
        "cuda-lib 12.6": "torch-cu126",
        "cuda-lib 12.8": "torch-cu128",
        "torch 2.8.0": None,
    }
    assert content["default-groups"] == [
        f"variant-torch-{label}" for label in ("cu126", "cu128", "null", "plain")
    ]
    assert wheels(content, "torch") == ["cu126", "cu128", "null", "plain"]
    (package,) = (each for each in content["packages"] if each["name"] == "torch")
    assert package["variants-json"] == TORCH


def test_the_machine_does_not_matter(venv: Environment, torch: IndexServer) -> None:
    # Nor does a release suit less that nothing here can run.
    gpu = make_manifest({"cu130": cuda("13.0")})
    add_builds(torch, "torch", "2.9.0", gpu, {"cu130": ["common"]})
    without = lock(venv, torch, "torch")
    assert wheels(without, "torch") == ["cu130"]
    assert lock(venv, torch, "torch", env=forced("12.8")) == without
    host = ["--variant-host", "cuda-12.8-sm_90"]
    assert lock(venv, torch, "torch", *host) == without


class TestRequests:
    """What is asked of the index for a lock file: of each build, only its metadata."""

    def test_metadata_files(self, venv: Environment, torch: IndexServer) -> None:
        lock(venv, torch, "torch")
        paths = [path for _, path in torch.log()]
        assert len(paths) == len(set(paths))
        assert not [path for path in paths if path.endswith(".whl")]

    def test_range_requests(self, venv: Environment, torch: IndexServer) -> None:
        torch.pages.core_metadata = False
        content = lock(venv, torch, "torch")
        assert len(markers(content)) == 5
        for request in torch.requests:
            if "/torch-" in request.path and request.method == "GET":
                assert "range" in request.headers or request.path.endswith(".json")

    def test_whole_wheels(self, venv: Environment, torch: IndexServer) -> None:
        torch.pages.core_metadata = torch.ranges = False
        command = ["lock", "torch", "-i", torch.index_url, "-o", "pylock.toml"]
        result = venv.pip(*command)
        said = [line for line in result.lines if "to see what it needs" in line]
        assert [line.split()[1] for line in said] == [
            f"torch-2.8.0-py3-none-any{label}.whl"
            for label in ("", "-cu126", "-cu128", "-null")
        ]
        assert "its server cannot send the part of a wheel" in said[0]

    def test_without_hashes(self, venv: Environment, torch: IndexServer) -> None:
        expected = lock(venv, torch, "torch", "--no-deps")
        torch.pages.hashes = False
        command = ["lock", "torch", "-i", torch.index_url, "-o", "pylock.toml"]
        result = venv.pip(*command, "--no-deps")
        assert tomli.loads((venv.work / "pylock.toml").read_text("utf-8")) == expected
        said = [line for line in result.lines if "to lock its hash" in line]
        assert len(said) == 4

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
        (["--variant", "torch=cu128"], ["cu128"]),
        (["--variant", "torch=cu128", "--variant", "torch=null"], ["cu128", "null"]),
        (["--variant", "null", "--variant", "cu126"], ["cu126", "null"]),
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


@pytest.mark.parametrize("option", ["cu999", "torch=cu999"])
def test_a_label_that_is_not_there(
    venv: Environment, torch: IndexServer, option: str
) -> None:
    command = ["lock", "torch", "-i", torch.index_url, "--variant", option]
    result = venv.pip(*command, code=1)
    assert "No variant is labelled cu999." in result.stderr
    assert "torch 2.8.0 has cu128, cu126, null" in result.stderr
    assert not (venv.work / "pylock.toml").exists()


def test_builds_that_need_the_same(venv: Environment, index: IndexServer) -> None:
    add_builds(
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
    add_builds(
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
        add_builds(index, "torch", "2.8.0", TORCH, needs)

    def test_it_is_refused(self, venv: Environment, index: IndexServer) -> None:
        marker = "'nvidia :: sm_arch :: 80_real' in variant_properties"
        self.add(index, f"lib; {marker}")
        index.add(make_wheel("lib", "1.0"))
        command = ["lock", "torch", "-i", index.index_url]
        result = venv.pip(*command, code=1)
        assert "error: variant-lock-conditions" in result.stderr
        assert "Cannot lock the variant cu126 of torch 2.8.0:" in result.stderr
        assert f"It needs lib; {marker}" in result.stderr
        assert "may lack nvidia :: sm_arch :: 80_real" in result.stderr
        assert not (venv.work / "pylock.toml").exists()
        # Each of the hints helps.
        content = lock(venv, index, "torch", "--variant", "torch=null")
        assert wheels(content, "torch") == ["null"]
        index.add(make_wheel("torch", "2.8.0"))
        content = lock(venv, index, "torch", "--no-variants")
        assert wheels(content, "torch") == ["plain"]

    def test_it_would_conflict_on_some(
        self, venv: Environment, index: IndexServer
    ) -> None:
        for version in ("1.0", "2.0"):
            index.add(make_wheel("lib", version))
        asked = "'nvidia :: sm_arch :: {}_real' in variant_properties"
        requires = [f"lib<2; {asked.format(80)}", f"lib>=2; {asked.format(90)}"]
        add_builds(index, "torch", "2.8.0", TORCH, {"cu126": requires})
        result = venv.pip("lock", "torch", "-i", index.index_url, code=1)
        assert "error: variant-lock-conditions" in result.stderr

    def test_it_makes_no_difference(
        self, venv: Environment, index: IndexServer
    ) -> None:
        asked = "'nvidia :: sm_arch :: {}_real' in variant_properties"
        self.add(index, f"lib; {asked.format(80)} or {asked.format(90)}")
        index.add(make_wheel("lib", "1.0"))
        assert markers(lock(venv, index, "torch")) == {
            "lib 1.0": "torch-cu126",
            "torch 2.8.0": None,
        }


def test_variants_that_a_variant_needs(venv: Environment, torch: IndexServer) -> None:
    kernels = make_manifest({"cu126": cuda("12.6"), "cu128": cuda("12.8")})
    builds = {"cu126": ["lib"], "cu128": ["lib", "new-lib"]}
    add_builds(torch, "kernels", "1.0", kernels, builds)
    needs = {"cu126": ["kernels"], "cu128": ["kernels"], "null": [], None: []}
    add_builds(torch, "vision", "2.0", TORCH, needs)
    for name in ("lib", "new-lib"):
        torch.add(make_wheel(name, "1.0"))
    content = lock(venv, torch, "vision", "torch")
    assert markers(content) == {
        "common 1.0": None,
        "cpu-lib 1.0": "torch-null or torch-plain",
        "cuda-lib 12.6": "torch-cu126",
        "cuda-lib 12.8": "torch-cu128",
        "kernels 1.0": "vision-cu126 or vision-cu128",
        "lib 1.0": "kernels-cu126 or kernels-cu128",
        "new-lib 1.0": "kernels-cu128",
        "torch 2.8.0": None,
        "vision 2.0": None,
    }
    assert wheels(content, "kernels") == ["cu126", "cu128"]


def test_versions_differ_only_where_they_must(
    venv: Environment, index: IndexServer
) -> None:
    needs = {"cu126": ["files"], "cu128": ["files<2"], "null": ["files"]}
    add_builds(index, "torch", "2.8.0", TORCH, needs)
    add_builds(index, "vision", "1.0", TORCH, {label: ["names"] for label in needs})
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
    add_builds(index, "one", "1.0", one, {"a": ["lib<2"], None: []})
    add_builds(index, "two", "1.0", two, {"b": ["lib>=2"], None: []})
    index.add(make_wheel("lib", "1.0"))
    index.add(make_wheel("lib", "2.0"))
    command = ["lock", "one", "two", "-i", index.index_url]
    result = venv.pip(*command, code=1)
    assert "error: variant-lock-conflict" in result.stderr
    assert "installed together need lib in different versions." in result.stderr
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
    assert "Leaving the variant cu128 of torch 2.8.0 out of the lock" in result.stderr
    assert "torch 2.8.0 wants cuda-lib==12.8" in result.stderr
    assert "app 1.0 wants cuda-lib!=12.8" in result.stderr


def test_builds_for_versions_of_another_package(
    venv: Environment, index: IndexServer
) -> None:
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

    def test_no_deps(self, venv: Environment, torch: IndexServer) -> None:
        content = lock(venv, torch, "torch", "--no-deps")
        assert markers(content) == {"torch 2.8.0": None}
        assert wheels(content, "torch") == ["cu126", "cu128", "null", "plain"]

    def test_only_deps(self, venv: Environment, torch: IndexServer) -> None:
        torch.add(make_wheel("app", "1.0", requires=["torch"]))
        content = lock(venv, torch, "app", "--only-deps")
        assert "app 1.0" not in markers(content)
        assert markers(content)["cuda-lib 12.8"] == "torch-cu128"

    def test_only_deps_of_variants(self, venv: Environment, torch: IndexServer) -> None:
        command = ["lock", "torch", "--only-deps", "-i", torch.index_url]
        result = venv.pip(*command, code=1)
        assert "error: variant-lock-conflict" in result.stderr
        assert "Whether cpu-lib 1.0 is needed depends on the variant" in result.stderr
        content = lock(venv, torch, "torch", "--only-deps", "--variant", "cu126")
        assert markers(content) == {"common 1.0": None, "cuda-lib 12.6": None}

    def test_extras(self, venv: Environment, index: IndexServer) -> None:
        add_builds(
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

    def test_constraints(self, venv: Environment, torch: IndexServer) -> None:
        torch.add(make_wheel("common", "2.0"))
        (venv.work / "constraints.txt").write_text("common<2\n", encoding="utf-8")
        content = lock(venv, torch, "torch", "-c", "constraints.txt")
        assert "common 1.0" in markers(content)

    def test_a_project_here(self, venv: Environment, torch: IndexServer) -> None:
        project = venv.work / "app"
        project.mkdir()
        (project / "pyproject.toml").write_text(
            '[project]\nname = "app"\nversion = "1.0"\ndependencies = ["torch"]\n'
            '[build-system]\nrequires = []\nbuild-backend = "backend"\n'
            'backend-path = ["."]\n'
        )
        (project / "backend.py").write_text(
            "import pathlib\n\n\n"
            "def prepare_metadata_for_build_editable(folder, settings=None):\n"
            "    info = pathlib.Path(folder, 'app-1.0.dist-info')\n"
            "    info.mkdir()\n"
            "    (info / 'METADATA').write_text('Metadata-Version: 2.1\\n'\n"
            "        'Name: app\\nVersion: 1.0\\nRequires-Dist: torch\\n')\n"
            "    return info.name\n\n\n"
            "def build_editable(folder, settings=None, metadata=None):\n"
            "    raise NotImplementedError\n"
        )
        content = lock(venv, torch, "-e", "app")
        (app, *_) = content["packages"]
        assert app == {"name": "app", "directory": {"path": "app", "editable": True}}
        assert len(content["packages"]) == 6

    def test_a_wheel_by_address(self, venv: Environment, torch: IndexServer) -> None:
        # A GPU that this machine need not have.
        url = torch.url + torch.file_path("torch-2.8.0-py3-none-any-cu128.whl")
        content = lock(venv, torch, f"torch @ {url}")
        assert content["packages"][-1]["archive"]["url"] == url
        assert set(markers_of_all(content)) == {None}

    def test_no_variants(self, venv: Environment, torch: IndexServer) -> None:
        content = lock(venv, torch, "torch", "--no-variants")
        assert wheels(content, "torch") == ["plain"]
        assert "variants-json" not in str(content)


def markers_of_all(content: Mapping[str, Any]) -> list[str | None]:
    return [package.get("marker") for package in content["packages"]]


def test_an_older_release_with_variants(venv: Environment, torch: IndexServer) -> None:
    torch.add(make_sdist("torch", "2.9.0"))
    content = lock(venv, torch, "torch")
    (package,) = content["packages"]
    assert package["version"] == "2.9.0"
    assert "sdist" in package


def test_a_broken_manifest(venv: Environment, torch: IndexServer) -> None:
    filename = "torch-2.8.0-variants.json"
    entry = torch.find(filename)
    assert entry is not None
    torch.add(type(entry.file)("torch", "2.8.0", filename, b"{"))
    command = ["lock", "torch", "-i", torch.index_url, "-o", "pylock.toml"]
    result = venv.pip(*command)
    assert "Ignoring the variant wheels of torch 2.8.0" in result.stderr
    content = tomli.loads((venv.work / "pylock.toml").read_text("utf-8"))
    assert wheels(content, "torch") == ["plain"]


@pytest.mark.process
class TestOtherReaders:
    """Whoever else reads the file installs what is needed, or refuses."""

    @pytest.fixture
    def same_versions(self, index: IndexServer) -> IndexServer:
        """Return an index with torch, of which no two builds need two versions."""
        needs = {"cu128": ["cuda-lib"], "null": ["cpu-lib"], None: ["cpu-lib"]}
        add_builds(index, "torch", "2.8.0", TORCH, needs)
        index.add(make_wheel("cuda-lib", "1.0"))
        index.add(make_wheel("cpu-lib", "1.0"))
        return index

    def uv(self, venv: Environment, code: int) -> str:
        pytest.importorskip("uv", reason="uv is not installed")
        command = [sys.executable, "-m", "uv", "pip", "install", "--no-cache"]
        features = ["--preview-features", "wheel-variants,pylock"]
        result = venv.run(
            *command,
            *features,
            *("--python", venv.python, "-r", "pylock.toml"),
            code=code,
            env=forced("12.8"),
        )
        return result.output

    @pytest.mark.on_wheel
    def test_upstream(
        self, venv: Environment, upstream_venv: Environment, torch: IndexServer
    ) -> None:
        lock(venv, torch, "torch")
        path = venv.work / "pylock.toml"
        result = upstream_venv.pip("install", "-r", path, code=1)
        assert "Invalid wheel filename 'torch-2.8.0-py3-none-any-cu126.whl'" in (
            result.stderr
        )
        assert upstream_venv.installed() == {}

    def test_uv_installs_all_that_is_needed(
        self, venv: Environment, same_versions: IndexServer
    ) -> None:
        lock(venv, same_versions, "torch")
        self.uv(venv, 0)
        assert venv.installed() == {
            "cpu-lib": "1.0",
            "cuda-lib": "1.0",
            "torch": "2.8.0",
        }

    def test_uv_refuses_two_versions(
        self, venv: Environment, torch: IndexServer
    ) -> None:
        lock(venv, torch, "torch")
        assert "Multiple active package entries found for `cuda-lib`" in self.uv(
            venv, 2
        )
        assert venv.installed() == {}


def _with(
    content: dict[str, Any], project: str, builds: list[str]
) -> dict[str, list[str]]:
    """Return with which builds of a project each package is installed."""
    found = {}
    for package, marker in markers(content).items():
        group = {each: f"{project}-{each.replace('.', '-')}" for each in builds}
        told = [label for label in builds if group[label] in (marker or "")]
        found[package] = told or builds
    return found


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
    assert _with(content, project, builds) == {
        f"{x['name']} {x['version']}": x["with"] for x in data["locked"]
    }
    for machine in data["machines"]:
        host = ["--variant-host", machine["host"]]
        result = venv.pip("install", "--dry-run", "-r", "pylock.toml", *host)
        (line,) = (each for each in result.lines if each.startswith("Would install"))
        for what in machine["gets"]:
            assert what in line
        assert line.count("-") == sum(each.count("-") for each in machine["gets"])
