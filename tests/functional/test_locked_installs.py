"""``pip install -r pylock.toml``: of the builds in the file, the best for the machine."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Workshop
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.interpreters import find_interpreters
from tests.lib.locks import TORCH, add_builds, add_torch, write_lock
from tests.lib.manifests import cuda, make_manifest, variant_json
from tests.lib.wheels import make_sdist, make_wheel

pytestmark = pytest.mark.locks

CPU: Mapping[str, str | None] = {}
GPU = forced("12.8")
OLD_GPU = forced("12.6", "8.0")

TORCH_FILES = [f"torch-2.8.0-py3-none-any{x}.whl" for x in ("", "-cu126", "-cu128")]
NULL_FILE = "torch-2.8.0-py3-none-any-null.whl"


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with torch, whose builds need different things."""
    return add_torch(index)


@pytest.fixture
def alone(index: IndexServer) -> IndexServer:
    """Return an index with torch, whose builds need nothing."""
    add_builds(
        index, "torch", "2.8.0", TORCH, dict.fromkeys([*TORCH["variants"], None], ())
    )
    index.add(make_sdist("torch", "2.8.0"))
    return index


def label(venv: Environment, package: str = "torch") -> str:
    """Return the label of the build that is installed, none for a plain one."""
    return venv.eval(f"{package}.variant_label", package)


def install(venv: Environment, *arguments: str | Path, **options: Any) -> str:
    return venv.pip("install", "-r", "pylock.toml", *arguments, **options).output


@pytest.mark.on_wheel
@pytest.mark.smoke
def test_one_file_for_all_machines(
    workshop: Workshop, tmp_path: Path, torch: IndexServer
) -> None:
    # No GPU here.
    first = workshop.fork(tmp_path / "cpu")
    first.pip("lock", "torch", "-i", torch.index_url, env=CPU)
    lock = first.work / "pylock.toml"
    expected = {
        "null": (CPU, {"common": "1.0", "cpu-lib": "1.0", "torch": "2.8.0"}),
        "cu128": (GPU, {"common": "1.0", "cuda-lib": "12.8", "torch": "2.8.0"}),
        "cu126": (OLD_GPU, {"common": "1.0", "cuda-lib": "12.6", "torch": "2.8.0"}),
    }
    for name, (env, packages) in expected.items():
        venv = workshop.fork(tmp_path / name)
        torch.clear_log()
        result = venv.pip("install", "-r", lock, env=env)
        assert f"Using the variant {name} of torch 2.8.0" in result.stdout
        assert venv.installed() == packages
        assert label(venv) == name
        assert "No broken requirements" in venv.pip("check", env=env).stdout
        # Just these files were asked for, no page and no manifest.
        assert len(torch.log()) == len(packages)
        assert all(path.endswith(".whl") for _, path in torch.log())


@pytest.mark.process
def test_another_interpreter(
    workshop: Workshop, tmp_path: Path, torch: IndexServer
) -> None:
    others = [str(path) for path in find_interpreters().values()]
    first = workshop.fork(tmp_path / "first")
    first.pip("lock", "torch", "-i", torch.index_url)
    for number, interpreter in enumerate(others):
        venv = Workshop(workshop.folder, interpreter).fork(tmp_path / str(number))
        venv.pip("install", "-r", first.work / "pylock.toml", env=GPU)
        assert venv.installed()["cuda-lib"] == "12.8"


def test_variants_that_a_variant_needs(venv: Environment, torch: IndexServer) -> None:
    kernels = make_manifest({"old": cuda("12.0"), "new": cuda("12.8")})
    add_builds(torch, "kernels", "1.0", kernels, {"old": [], "new": ["new-lib"]})
    add_builds(
        *(torch, "vision", "2.0", TORCH),
        {"cu126": ["kernels"], "cu128": ["kernels", "torch"], "null": []},
    )
    torch.add(make_wheel("new-lib", "1.0"))
    venv.pip("lock", "vision", "-i", torch.index_url)
    install(venv, "--dry-run", "--report", "report.json", env=GPU)
    assert planned(venv) == {
        "common-1.0": "",
        "cuda_lib-12.8": "",
        "kernels-1.0": "new",
        "new_lib-1.0": "",
        "torch-2.8.0": "cu128",
        "vision-2.0": "cu128",
    }
    install(venv, "--dry-run", "--report", "report.json", env=OLD_GPU)
    assert planned(venv) == {"kernels-1.0": "old", "vision-2.0": "cu126"}
    install(venv, "--dry-run", "--report", "report.json", env=CPU)
    assert planned(venv) == {"vision-2.0": "null"}


ARCHES = {
    "gpu": cuda("12.0", ["80", "90"]),
    "null": {},
}
SM_80 = "'nvidia :: sm_arch :: 80_real' in variant_properties"
SM_90 = "'nvidia :: sm_arch :: 90_real' in variant_properties"
NO_SM_90 = "'nvidia :: sm_arch :: 90_real' not in variant_properties"
#: Machines that support one of the two, the other one, or both.
MACHINES = {
    "80": {"sm_arch": ["80_real"]},
    "90": {"sm_arch": ["90_real"]},
    "both": {"sm_arch": ["90_real", "80_real"]},
}


@pytest.fixture
def machines(venv: Environment) -> Mapping[str, Path]:
    """Return host files of machines with GPUs, and of one without."""
    lower = {"feature": "cuda_version_lower_bound", "values": ["12.0"]}
    found = {}
    for name, features in {**MACHINES, "none": {}}.items():
        listed = [{"feature": key, "values": each} for key, each in features.items()]
        content = {"nvidia": [lower, *listed]} if listed else {}
        path = venv.work / f"{name}.json"
        document = {"host-schema": 1, "supported": content}
        path.write_text(json.dumps(document), encoding="utf-8")
        found[name] = path
    return found


def same_from_lock(
    venv: Environment, index: IndexServer, machines: Mapping[str, Path], *wanted: str
) -> dict[str, str]:
    """Return what is installed besides what is wanted, by machine, from lock and index."""
    venv.pip("lock", *wanted, "-i", index.index_url)
    found = {}
    for name, path in machines.items():
        command = ["--dry-run", "--report", "report.json", f"--variant-host={path}"]
        venv.pip("install", "-i", index.index_url, *wanted, *command)
        expected = planned(venv)
        install(venv, *command)
        assert planned(venv) == expected, name
        names = (each.rpartition("-")[0] for each in expected)
        found[name] = " ".join(
            sorted({*names} - {each.split("[")[0] for each in wanted})
        )
    return found


class TestWhatTheMachineSupports:
    """What a build needs depends on which of its properties the machine supports."""

    def add(
        self, index: IndexServer, name: str, *requires: str, **options: Any
    ) -> None:
        """Add a release whose GPU build has some requirements."""
        manifest = make_manifest(ARCHES)
        needs = {"gpu": requires, "null": ()}
        add_builds(index, name, "1.0", manifest, needs, **options)

    def libraries(self, index: IndexServer, *names: str) -> None:
        for name in names:
            index.add(make_wheel(name, "1.0"))

    def test_it_decides(
        self, venv: Environment, index: IndexServer, machines: Mapping[str, Path]
    ) -> None:
        self.libraries(index, "fallback", "fast", "always")
        self.add(index, "a", f"fallback; {NO_SM_90}", f"fast; {SM_90}", "always")
        assert same_from_lock(venv, index, machines, "a") == {
            "80": "always fallback",
            "90": "always fast",
            "both": "always fast",
            "none": "",
        }
        text = (venv.work / "pylock.toml").read_text("utf-8")
        group = "variant-a-gpu-nvidia-sm-arch-90-real"
        build = '\\"variant-a-gpu\\" in dependency_groups'
        for marker in (
            f'marker = "{build}"',
            f'marker = "{build} and \\"{group}\\" in dependency_groups"',
            f'marker = "{build} and \\"{group}\\" not in dependency_groups"',
        ):
            assert text.count(marker) == 1, marker
        assert f'    "{group}",' in text

    def test_locked_once_more(
        self, venv: Environment, index: IndexServer, machines: Mapping[str, Path]
    ) -> None:
        self.libraries(index, "fallback", "fast")
        self.add(index, "a", f"fallback; {NO_SM_90}", f"fast; {SM_90}")
        venv.pip("lock", "a", "-i", index.index_url)
        for name, expected in (("80", "fallback"), ("both", "fast"), ("none", "")):
            host = f"--variant-host={machines[name]}"
            options = ["-i", index.index_url, "-o", "pylock.again.toml"]
            venv.pip("lock", "-r", "pylock.toml", host, *options)
            text = (venv.work / "pylock.again.toml").read_text("utf-8")
            assert expected in text
            assert text.count("[[packages]]") == 1 + bool(expected)
            assert "dependency_groups" not in text

    def test_and_or(
        self, venv: Environment, index: IndexServer, machines: Mapping[str, Path]
    ) -> None:
        self.libraries(index, "all", "any", "one", "label")
        self.add(
            *(index, "a", f"all; {SM_80} and {SM_90}", f"any; {SM_80} or {SM_90}"),
            f"one; ({SM_80} and {NO_SM_90}) or variant_label == 'null'",
            f"label; variant_label == 'gpu' and ({NO_SM_90} or python_version < '3')",
        )
        assert same_from_lock(venv, index, machines, "a") == {
            "80": "any label one",
            "90": "any",
            "both": "all any",
            "none": "",
        }

    def test_what_only_such_a_machine_needs(
        self, venv: Environment, index: IndexServer, machines: Mapping[str, Path]
    ) -> None:
        self.libraries(index, "ever", "never")
        # Its metadata is first seen when the machine lacks the property.
        self.add(index, "b", f"ever; {NO_SM_90}", f"never; {SM_90}")
        self.add(index, "a", f"b; {NO_SM_90}")
        assert same_from_lock(venv, index, machines, "a") == {
            "80": "b ever",
            "90": "",
            "both": "",
            "none": "",
        }
        assert '"never"' not in (venv.work / "pylock.toml").read_text("utf-8")

    def test_versions(
        self, venv: Environment, index: IndexServer, machines: Mapping[str, Path]
    ) -> None:
        index.add(make_wheel("lib", "1.0", requires=["old"]))
        index.add(make_wheel("lib", "2.0"))
        self.libraries(index, "old")
        # Both ask for the same property, so no machine needs both versions.
        for name in ("a", "b"):
            self.add(index, name, f"lib<2; {NO_SM_90}", f"lib>=2; {SM_90}")
        assert same_from_lock(venv, index, machines, "a", "b") == {
            "80": "lib old",
            "90": "lib",
            "both": "lib",
            "none": "",
        }

    def test_through_packages_and_extras(
        self, venv: Environment, index: IndexServer, machines: Mapping[str, Path]
    ) -> None:
        self.libraries(index, "deep", "more", "less")
        extras = {"x": [f"more; {SM_80}", f"less; {NO_SM_90}"]}
        self.add(index, "c", f"deep; {SM_80} and {NO_SM_90}", extras=extras)
        index.add(make_wheel("b", "1.0", requires=["c[x]"]))
        self.add(index, "a", f"b; {NO_SM_90}", f"c; {SM_90}")
        assert same_from_lock(venv, index, machines, "a") == {
            "80": "b c deep less more",
            "90": "c",
            "both": "c",
            "none": "",
        }

    def test_what_conflicts_on_a_machine_that_supports_all(
        self, venv: Environment, index: IndexServer, machines: Mapping[str, Path]
    ) -> None:
        for version in ("1.0", "2.0"):
            index.add(make_wheel("lib", version))
        requires = [f"lib<2; {SM_80}", f"lib>=2; {SM_90}"]
        manifest = make_manifest({"gpu": ARCHES["gpu"]})
        add_builds(index, "a", "1.0", manifest, {"gpu": requires})
        one = {name: machines[name] for name in ("80", "90")}
        assert same_from_lock(venv, index, one, "a") == {"80": "lib", "90": "lib"}
        host = f"--variant-host={machines['both']}"
        result = venv.pip("install", "-r", "pylock.toml", host, code=1)
        assert "Cannot install lib" in result.stderr, result.stderr

    def test_versions_that_cannot_agree(
        self, venv: Environment, index: IndexServer
    ) -> None:
        for version in ("1.0", "2.0"):
            index.add(make_wheel("lib", version))
        self.add(index, "a", f"lib<2; {NO_SM_90}")
        self.add(index, "b", f"lib>=2; {SM_80}")
        result = venv.pip("lock", "a", "b", "-i", index.index_url, code=1)
        assert "error: variant-lock-conflict" in result.stderr
        assert "lib 1.0: a (gpu without nvidia :: sm_arch :: 90_real)" in result.stderr
        assert "lib 2.0: b (gpu" in result.stderr

    @pytest.mark.parametrize("count", [6, 7])
    def test_too_many_conditions(
        self, venv: Environment, index: IndexServer, count: int
    ) -> None:
        values = [f"{number}0" for number in range(1, 8)]
        properties = [f"nvidia :: sm_arch :: {each}_real" for each in values[:count]]
        requires = [
            f"lib{number}; '{each}' in variant_properties"
            for number, each in enumerate(properties)
        ]
        self.libraries(index, *(f"lib{number}" for number in range(count)))
        manifest = make_manifest({"gpu": cuda("12.0", values), "null": {}})
        add_builds(index, "a", "1.0", manifest, {"gpu": requires, "null": ()})
        command = ["lock", "a", "-i", index.index_url]
        if count == 6:
            venv.pip(*command)
            return
        result = venv.pip(*command, code=1)
        assert "error: variant-lock-conditions" in result.stderr
        assert "What a 1.0 needs depends on 7 properties" in result.stderr
        for each in properties:
            assert each in result.stderr
        assert "--variant a=LABEL" in result.stderr
        assert not (venv.work / "pylock.toml").exists()

    def test_few_markers_may_ask_for_more(
        self, venv: Environment, index: IndexServer
    ) -> None:
        values = [f"{number}0" for number in range(1, 9)]
        listed = [
            f"'nvidia :: sm_arch :: {x}_real' in variant_properties" for x in values
        ]
        self.libraries(index, "lib")
        manifest = make_manifest({"gpu": cuda("12.0", [*values, "99"]), "null": {}})
        requires = [f"lib; {' or '.join(listed)}"]
        add_builds(index, "a", "1.0", manifest, {"gpu": requires, "null": ()})
        venv.pip("lock", "a", "-i", index.index_url)
        text = (venv.work / "pylock.toml").read_text("utf-8")
        assert text.count(" or ") == len(values) - 1


def planned(venv: Environment) -> dict[str, str]:
    """Return what ``report.json`` lists, each with its label."""
    report = json.loads((venv.work / "report.json").read_text("utf-8"))
    names = (
        item["download_info"]["url"].rpartition("/")[2] for item in report["install"]
    )
    parts = [name.removesuffix(".whl").split("-") for name in names]
    return {f"{each[0]}-{each[1]}": "".join(each[5:]) for each in parts}


class TestChoice:
    """What the choice goes by, with the lock file of a tool that has no groups."""

    @pytest.fixture(autouse=True)
    def lock(self, venv: Environment, alone: IndexServer) -> Path:
        files = [*TORCH_FILES, NULL_FILE]
        return write_lock(venv.work, alone, *files, extra=toml(TORCH))

    @pytest.mark.parametrize(
        ("env", "options", "expected"),
        [
            (CPU, [], "null"),
            (GPU, [], "cu128"),
            (GPU, ["--variant", "cu126"], "cu126"),
            (GPU, ["--variant", "torch=null"], "null"),
            (GPU, ["--no-variants"], ""),
            (CPU, ["--variant-host", "cuda-12.6-sm_80"], "cu126"),
            (GPU, ["--disable-variant-provider", "nvidia"], "null"),
        ],
    )
    def test_options(
        self,
        venv: Environment,
        env: Mapping[str, str | None],
        options: Sequence[str],
        expected: str,
    ) -> None:
        output = install(venv, *options, env=env)
        assert label(venv) == expected
        assert (f"Using the variant {expected} of torch 2.8.0" in output) == bool(
            expected
        )

    @pytest.mark.parametrize("command", ["download", "wheel"])
    def test_commands(self, venv: Environment, lock: Path, command: str) -> None:
        venv.pip(command, "-r", lock, env=GPU)
        (wheel,) = venv.work.glob("*.whl")
        assert wheel.name == "torch-2.8.0-py3-none-any-cu128.whl"

    def test_a_source_distribution_is_asked_for(
        self, venv: Environment, alone: IndexServer
    ) -> None:
        files = [*TORCH_FILES, NULL_FILE]
        sdist = "torch-2.8.0.tar.gz"
        write_lock(venv.work, alone, *files, sdist=sdist, extra=toml(TORCH))
        output = install(venv, "--no-binary", "torch", env=GPU)
        assert f"Downloading {sdist}" in output
        assert label(venv) == ""

    def test_locked_once_more(self, venv: Environment, lock: Path) -> None:
        venv.pip("lock", "-r", lock, "-o", "pylock.again.toml", env=GPU)
        text = (venv.work / "pylock.again.toml").read_text("utf-8")
        assert "[packages.variants-json.variants.cu128.nvidia]" in text
        assert text.count("[[packages.wheels]]") == 1
        venv.pip("install", "-r", "pylock.again.toml", env=GPU)
        assert label(venv) == "cu128"


def toml(manifest: Mapping[str, Any]) -> str:
    """Write a manifest as a lock file has it."""
    lines = ["[packages.variants-json]"]
    lines += [f"{json.dumps(key)} = {inline(value)}" for key, value in manifest.items()]
    return "\n".join([*lines, ""])


def inline(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(key)} = {inline(item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}"
    return json.dumps(value)


class TestNothingRuns:
    """What is taken if no variant runs: a plain wheel, an sdist, or nothing."""

    def test_plain_wheel(self, venv: Environment, alone: IndexServer) -> None:
        sdist = "torch-2.8.0.tar.gz"
        write_lock(venv.work, alone, *TORCH_FILES, sdist=sdist, extra=toml(TORCH))
        output = install(venv)
        assert "Using a plain build of torch 2.8.0, since none" in output
        assert "torch-2.8.0-py3-none-any.whl" in output

    def test_sdist(self, venv: Environment, alone: IndexServer) -> None:
        sdist = "torch-2.8.0.tar.gz"
        write_lock(venv.work, alone, *TORCH_FILES[1:], sdist=sdist, extra=toml(TORCH))
        output = install(venv)
        assert "Using a plain build of torch 2.8.0, since none" in output
        assert "Downloading torch-2.8.0.tar.gz" in output
        venv.pip("uninstall", "-y", "torch")
        output = install(venv, "--only-binary", ":all:", code=1)
        assert "No variant of torch==2.8.0 runs on the target machine." in output

    def test_nothing(self, venv: Environment, alone: IndexServer) -> None:
        write_lock(venv.work, alone, *TORCH_FILES[1:], extra=toml(TORCH))
        output = install(venv, env=forced("12.0", "7.5"), code=1)
        assert "error: no-compatible-variant" in output
        assert (
            "cu126 needs nvidia :: cuda_version_lower_bound :: 12.6 (the target has "
            "12.0" in output
        )
        assert "cu128 needs nvidia :: cuda_version_lower_bound :: 12.8" in output
        assert alone.log() == []
        output = install(venv, "--no-variants", code=1)
        assert "error: variants-disabled" in output

    def test_by_hand(self, venv: Environment, alone: IndexServer) -> None:
        write_lock(venv.work, alone, *TORCH_FILES, extra=toml(TORCH))
        output = install(venv, "--variant", "cu128", env=OLD_GPU, code=1)
        assert "error: unsupported-variant" in output
        output = install(venv, "--variant", "torch=cu130", code=1)
        assert "error: variant-label-not-found" in output
        assert "torch 2.8.0 has cu126" in output


@pytest.mark.parametrize("ranges", [True, False])
def test_wheels_that_tell_what_they_are(
    venv: Environment, alone: IndexServer, ranges: bool
) -> None:
    """Each is downloaded and checked before pip reads its variant.json."""
    alone.ranges = ranges
    write_lock(venv.work, alone, *TORCH_FILES, NULL_FILE)
    install(venv, env=GPU)
    assert label(venv) == "cu128"
    gets = [r for r in alone.requests if r.method == "GET" and "cu126" in r.path]
    assert len(gets) == 1
    assert "range" not in gets[0].headers


def test_files_in_a_folder(venv: Environment, alone: IndexServer) -> None:
    alone.write_directory(venv.work / "links")
    path = write_lock(venv.work, alone, *TORCH_FILES, NULL_FILE)
    text = path.read_text("utf-8").replace(f'url = "{alone.url}/files', 'path = "links')
    path.write_text(text, encoding="utf-8")
    install(venv, env=GPU)
    assert label(venv) == "cu128"
    assert alone.log() == []


TABLE = "[packages.variants-json]\n"
RANKED = f"{TABLE}default-priorities.namespace = ['nvidia']\n"

#: What stands in a lock file, and what is wrong with it.
INVALID: Mapping[str, tuple[str, str]] = {
    "text": ("variants-json = 'x'", "it is a string, not an object"),
    "list": ("variants-json = [1]", "it is a list, not an object"),
    "empty": (TABLE, "'default-priorities' is missing"),
    "no labels": (f"{RANKED}variants = {{}}", "it lists no variants"),
    "number": (
        f"{RANKED}variants.cu128.nvidia.sm_arch = ['90_real', 80]",
        "is a number, not a string",
    ),
    "date": (
        f"{TABLE}default-priorities.namespace = 2026-01-01",
        "'default-priorities.namespace' is a date, not a list",
    ),
    "version": (
        f"{TABLE}'$schema' = 'https://example.org/v2.0.0.json'",
        "its schema is not supported",
    ),
    "deep": (
        f"{RANKED}variants.a.nvidia.y = ['z']\nproviders.nvidia{'.a' * 900} = 1",
        "it is nested too deeply",
    ),
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_metadata(venv: Environment, alone: IndexServer, name: str) -> None:
    table, problem = INVALID[name]
    lines = [*TORCH_FILES]
    if table.startswith("["):
        path = write_lock(venv.work, alone, *lines, extra=f"{table}\n")
    else:
        path = write_lock(venv.work, alone, *lines)
        text = path.read_text("utf-8").replace(
            "[[packages]]\n", f"[[packages]]\n{table}\n"
        )
        path.write_text(text, encoding="utf-8")
    output = install(venv, env=GPU)
    assert "Ignoring the variant wheels of torch 2.8.0: its variants-json in" in output
    assert problem in output
    assert label(venv) == ""
    # Without a plain wheel, there is nothing left.
    plain = f'[[packages.wheels]]\nname = "{TORCH_FILES[0]}"'
    text = path.read_text("utf-8")
    start = text.index(plain)
    end = text.index("[[packages.wheels]]", start + 1)
    path.write_text(text[:start] + text[end:], encoding="utf-8")
    venv.pip("uninstall", "-y", "torch")
    output = install(venv, env=GPU, code=1)
    assert "error: no-compatible-variant" in output
    assert problem in output


def test_unknown_keys_do_no_harm(venv: Environment, alone: IndexServer) -> None:
    extra = toml(TORCH) + "added = 2026-01-01T00:00:00Z\nmore = [1, 2.5, nan]\n"
    write_lock(venv.work, alone, *TORCH_FILES, extra=extra)
    install(venv, env=GPU)
    assert label(venv) == "cu128"
    venv.pip("check", env=GPU)


@pytest.mark.parametrize(
    "marker", ["'x' ~= 'y'", "'dev' not in dependency_groups", "extra == 'x'"]
)
def test_markers_of_others(venv: Environment, alone: IndexServer, marker: str) -> None:
    path = write_lock(venv.work, alone, *TORCH_FILES, extra=toml(TORCH))
    text = path.read_text("utf-8").replace(
        'version = "2.8.0"', f'version = "2.8.0"\nmarker = "{marker}"'
    )
    path.write_text(text, encoding="utf-8")
    works = "not in" in marker
    output = install(venv, env=GPU, code=0 if works else 1)
    assert ("Cannot select requirements from pylock file" in output) != works


def test_a_wheel_that_is_another_variant(venv: Environment, alone: IndexServer) -> None:
    other = {**TORCH, "variants": {"cu128": cuda("12.0")}}
    wheel = make_wheel(
        *("torch", "2.8.0"), label="cu128", variant_json=variant_json(other, "cu128")
    )
    alone.add(wheel)
    write_lock(venv.work, alone, *TORCH_FILES, extra=toml(TORCH))
    output = install(venv, env=GPU, code=1)
    assert "is not what the variants manifest says" in output
    assert venv.installed() == {}


def test_what_a_build_needs_is_not_locked(
    venv: Environment, torch: IndexServer
) -> None:
    venv.pip("lock", "torch", "-i", torch.index_url)
    path = venv.work / "pylock.toml"
    # Someone took the group away by which the CUDA build gets what it needs.
    text = path.read_text("utf-8")
    path.write_text(text.replace('    "variant-torch-cu128",\n', ""), "utf-8")
    output = install(venv, "-i", torch.index_url, env=GPU, code=1)
    assert "is needed here, and is not in the lock file." in output
    assert "torch==2.8.0 needs it, of pylock.toml." in output
    assert "× cuda-lib==12.8 is needed here" in output
    assert venv.installed() == {}


def test_what_is_installed_gives_way(venv: Environment, torch: IndexServer) -> None:
    venv.pip("lock", "torch", "-i", torch.index_url)
    install(venv, env=CPU)
    output = install(venv, env=CPU)
    assert "already satisfied: torch" in output
    install(venv, env=GPU)
    assert label(venv) == "cu128"
    venv.pip("check", env=GPU)
    install(venv, "--no-variants", "--force-reinstall")
    assert label(venv) == ""
    install(venv, "--variant", "torch=null", env=GPU)
    assert label(venv) == "null"


def test_variants_for_one_cuda_version(venv: Environment, index: IndexServer) -> None:
    both = make_manifest({"cu12": cuda("12.0"), "cu13": cuda("13.0")})
    one = make_manifest({"cu12": cuda("12.0")})
    add_builds(
        index, "torch", "2.9.0", both, {"cu12": ["lib==12"], "cu13": ["lib==13"]}
    )
    add_builds(index, "vision", "1.0", one, {"cu12": []})
    for version in ("12", "13"):
        index.add(make_wheel("lib", version))
    venv.pip("lock", "torch", "-i", index.index_url)
    install(venv, "--dry-run", "--report", "report.json", env=forced("13.0"))
    assert planned(venv) == {"lib-13": "", "torch-2.9.0": "cu13"}
    venv.pip("lock", "torch", "vision", "-i", index.index_url)
    output = install(venv, "--dry-run", "--report", "report.json", env=forced("13.0"))
    assert planned(venv) == {"lib-12": "", "torch-2.9.0": "cu12", "vision-1.0": "cu12"}
    assert "different CUDA versions" not in output
    assert (
        "Taking cu12 of torch 2.9.0 instead of cu13, so that all variants are for CUDA "
        "12 (--no-variant-agreement takes the best of each)"
    ) in output.splitlines()
    apart = ["--no-variant-agreement", "--dry-run", "--report", "report.json"]
    output = install(venv, *apart, env=forced("13.0"))
    assert planned(venv) == {"lib-13": "", "torch-2.9.0": "cu13", "vision-1.0": "cu12"}
    assert "Taking" not in output
    assert (
        "WARNING: Packages for different CUDA versions come together: torch 2.9.0 "
        "(cu13) is for CUDA 13, vision 1.0 (cu12) is for CUDA 12. To take builds that agree"
    ) in output


def test_from_a_server(venv: Environment, torch: IndexServer) -> None:
    venv.pip("lock", "torch", "-i", torch.index_url)
    content = (venv.work / "pylock.toml").read_bytes()
    torch.add(
        type(make_wheel("x", "1"))("locks", "1", "pylock.toml", content),
    )
    url = torch.url + torch.file_path("pylock.toml")
    venv.pip("install", "-r", url, env=GPU)
    assert venv.installed()["cuda-lib"] == "12.8"
