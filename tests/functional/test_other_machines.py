"""Hosts whose wheels, markers and Pythons are others than this machine's."""

from __future__ import annotations

import json
import platform
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import tomli

from tests.lib.environments import Environment, Result
from tests.lib.hosts import make_host
from tests.lib.index import IndexServer
from tests.lib.manifests import Properties, cuda, make_manifest, variant_json
from tests.lib.wheels import make_sdist, make_wheel

Pip = Callable[..., Result]
WriteHost = Callable[[str | Mapping[str, Any]], Any]

pytestmark = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the replicas' wheels are for Linux on x86-64",
)

ARM = "manylinux_2_28_aarch64"
#: Of which machines the wheels of ``native`` are, by a part of their names.
WHEELS = {
    "win_amd64": "cp312-cp312-win_amd64",
    "macosx_11_0_arm64": "cp313-cp313-macosx_11_0_arm64",
    "manylinux_2_28_aarch64": "cp312-cp312-manylinux_2_28_aarch64",
    "manylinux_2_28_x86_64": "cp312-cp312-manylinux_2_28_x86_64",
    "manylinux_2_39_x86_64": "cp312-cp312-manylinux_2_39_x86_64",
    "musllinux_1_2_x86_64": "cp312-cp312-musllinux_1_2_x86_64",
    "pp311": "pp311-pypy311_pp73-manylinux_2_17_x86_64.manylinux2014_x86_64",
    "cp313t": "cp313-cp313t-win_arm64",
}
#: What it needs, by the marker.
NEEDED = {
    "onwindows": "sys_platform == 'win32' and os_name == 'nt'",
    "onmac": "platform_system == 'Darwin' and platform_machine == 'arm64'",
    "onlinux": "sys_platform == 'linux'",
    "onarm": "platform_machine == 'aarch64'",
    "onpypy": "platform_python_implementation == 'PyPy'",
    "old": "python_version < '3.13'",
    "patched": "python_full_version >= '3.12.4'",
}


@pytest.fixture
def fast(index: IndexServer) -> list[str]:
    """Return options for an index with wheels for two types of machines."""
    variants: Mapping[str, Properties] = {
        "armv8": ["aarch64 :: version :: 8a"],
        "null": {},
    }
    manifest = make_manifest(variants)
    for machine in ("x86_64", "aarch64"):
        for label in variants:
            own = {**manifest, "variants": {label: manifest["variants"][label]}}
            tag = f"py3-none-manylinux_2_28_{machine}"
            index.add(make_wheel("fast", "1.0", tag=tag, label=label, variant_json=own))
    return ["-i", index.index_url]


@pytest.fixture
def native(index: IndexServer) -> list[str]:
    """Return options for an index with wheels for many platforms and interpreters."""
    requires = [f"{name}; {marker}" for name, marker in NEEDED.items()]
    for tag in WHEELS.values():
        index.add(make_wheel("native", "1.0", tag=tag, requires=requires))
    for name in NEEDED:
        index.add(make_wheel(name, "1.0"))
    index.add(make_wheel("onlinux", "2.0", requires_python=">=3.13"))
    return ["-i", index.index_url]


def complete(pip: Pip, name: str) -> dict[str, Any]:
    """Return the content of the file that describes a machine of a name."""
    written = pip("variants", "host", "--json", "--variant-host", name).stdout
    described: dict[str, Any] = json.loads(written)
    return described


def refused(result: Result) -> str:
    return result.stderr.partition("error: ")[2]


def names(folder: Path) -> set[str]:
    """Return what lies in a folder, in short."""
    kinds = {path.name.partition("-1.0-")[2]: path.name for path in folder.iterdir()}
    found = {path.name.partition("-")[0] for path in folder.iterdir()}
    native = {short for short in WHEELS if any(short in kind for kind in kinds)}
    return (found - {"native"}) | native


#: What is taken for a machine.
TAKEN: Mapping[str, set[str]] = {
    "windows-x86_64-py312-cuda-12.8-sm_89": {"win_amd64", "onwindows", "old"},
    "windows-x86_64-py312": {"win_amd64", "onwindows", "old"},
    "windows-x86_64-py3.12.4": {"win_amd64", "onwindows", "old", "patched"},
    "windows-arm64-py313t": {"cp313t", "onwindows", "patched"},
    "macos-arm64-py313": {"macosx_11_0_arm64", "onmac", "patched"},
    "cuda-12.8-sm_90-aarch64-py312": {
        *("manylinux_2_28_aarch64", "onlinux", "onarm", "old")
    },
    "glibc-2.39-x86_64-py312": {"manylinux_2_39_x86_64", "onlinux", "old"},
    "glibc-2.35-x86_64-py312": {"manylinux_2_28_x86_64", "onlinux", "old"},
    "musl-1.2-x86_64-py312": {"musllinux_1_2_x86_64", "onlinux", "old"},
}


@pytest.mark.parametrize("name", TAKEN)
def test_named(pip: Pip, native: list[str], tmp_path: Path, name: str) -> None:
    """The file that the name is written to does the same."""
    host = tmp_path / "host.json"
    host.write_text(pip("variants", "host", "--json", "--variant-host", name).stdout)
    for number, described in enumerate([name, str(host)]):
        folder = tmp_path / f"files{number}"
        command = ["download", "native", *native, "-d", str(folder)]
        pip(*command, "--variant-host", described)
        assert names(folder) == TAKEN[name]


MAC = ["--variant-host", "macos-arm64-py313"]
ONLY_MAC = "native; sys_platform == 'darwin'"
ON_MAC = "native-1.0-cp313-cp313-macosx_11_0_arm64.whl"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            ["install", "--dry-run", "native"],
            "Would install native-1.0 onmac-1.0 patched-1.0",
        ),
        (
            ["install", "--target", "into", "--upgrade", "native"],
            "Successfully installed native-1.0 onmac-1.0 patched-1.0",
        ),
        (["lock", "native", "-o", "-"], ON_MAC),
        (["variants", "explain", ONLY_MAC], f"{ON_MAC} would be installed."),
        (["variants", "list", ONLY_MAC], "would be installed"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_each_command(
    pip: Pip, native: list[str], command: Sequence[str], expected: str
) -> None:
    assert expected in pip(*command, *native, *MAC).stdout
    environ = {"PIP_VARIANT_HOST": MAC[1]}
    assert expected in pip(*command, *native, env=environ).stdout


def test_markers_of_lines_and_neighbors_are_for_the_target(
    venv: Environment, index: IndexServer, tmp_path: Path
) -> None:
    """A label on a line that is ignored, and a requirement, belong to other machines."""
    variants = {"cu126": cuda("12.6"), "cu128": cuda("12.8"), "null": {}}
    index.add_release("torch", "2.8.0", variants)
    lines = tmp_path / "requirements.txt"
    lines.write_text(
        "torch; sys_platform == 'linux' --variant null\n"
        "torch; sys_platform == 'win32' --variant cu126\napp\n"
    )
    index.add(make_wheel("app", "1.0", requires=["nvidia-nccl-cu11; os_name != 'nt'"]))
    host = ["--variant-host", "windows-x86_64-py312-cuda-12.8-sm_90"]
    options = ["--target", "site", "-i", index.index_url, *host]
    result = venv.pip("install", "-r", str(lines), *options)
    assert "Successfully installed app-1.0 torch-2.8.0 (cu126)" in result.stdout
    assert "CUDA" not in result.stderr
    assert venv.pip("check", "--path", "site", *host).stderr == ""


@pytest.mark.parametrize("no_fast", [[], ["--no-fast"]], ids=["fast", "slow"])
def test_no_bytecode_for_another_python(
    venv: Environment, index: IndexServer, no_fast: list[str]
) -> None:
    index.add(make_wheel("app", "1.0"))
    options = ["--target", "into", "-i", index.index_url, *no_fast]
    there = f"py3{9 if sys.version_info[1] != 9 else 10}"
    for host, count in (there, 0), (f"py3{sys.version_info[1]}", 1):
        host = f"linux-x86_64-{host}"
        venv.pip("install", "app", "--upgrade", *options, "--variant-host", host)
        files = list((venv.work / "into" / "app").rglob("*.pyc"))
        assert len(files) == count, host


def test_what_is_installed_here_is_not_there(pip: Pip, native: list[str]) -> None:
    pip("install", "onmac", *native)
    result = pip("install", "--dry-run", "native", *native, *MAC)
    assert "Would install native-1.0 onmac-1.0 patched-1.0" in result.stdout


def test_not_into_this_environment(
    pip: Pip, index: IndexServer, fast: list[str]
) -> None:
    result = pip("install", "fast", *fast, "--variant-host", "cpu-aarch64", code=1)
    said = refused(result)
    assert said.startswith(
        "variant-host-of-another-platform\n\n"
        "× 'cpu-aarch64' is another kind of machine, and packages for it may not run here.\n"
        "╰─> Its CPU architecture is aarch64; on this machine, it is x86_64.\n"
    )
    assert " --target DIR " in said
    assert " --dry-run " in said
    assert index.log() == []
    # What is proposed works.
    (line,) = re.findall("To install into a folder for that machine: (.*)", said)
    assert "armv8" in pip(*shlex.split(line)[1:]).stdout


def test_its_hardware_alone(pip: Pip, index: IndexServer, tmp_path: Path) -> None:
    variants: Mapping[str, Properties] = {"v3": ["x86_64 :: level :: v3"], "null": {}}
    index.add_release("cpu", "1.0", variants)
    hardware = tmp_path / "hardware.json"
    name = "windows-x86_64-v3-py310"
    command = ["variants", "host", "--json", "--hardware", "--variant-host", name]
    hardware.write_text(pip(*command).stdout, encoding="utf-8")
    options = ["-i", index.index_url, "--variant-host", str(hardware)]
    assert "cpu-1.0 (v3)" in pip("install", "cpu", *options).stdout


# Nothing is built


SDIST_ONLY = (
    "╰─> source 1.0: no file of an allowed kind (pip cannot build the "
    "source distribution for another machine)"
)


def test_no_sdist(pip: Pip, index: IndexServer, tmp_path: Path) -> None:
    sdist = make_sdist("source", "1.0")
    index.add(sdist)
    options = ["-i", index.index_url, *MAC]
    for command in ["download"], ["install", "--dry-run"]:
        result = pip(*command, "source", *options, code=1)
        assert SDIST_ONLY in result.stderr
        assert "pip cannot build here for another kind of machine." in result.stderr
    # An older release with a wheel does, but not for a user who wants exactly this release.
    index.add(make_wheel("source", "0.9"))
    assert "source-0.9" in pip("download", "source", *options).stdout
    assert SDIST_ONLY in pip("download", "source==1.0", *options, code=1).stderr
    # Nor is one built that is named, or the project of a folder.
    (tmp_path / "pyproject.toml").write_text("[project]\nname='p'\nversion='1'")
    path = str(sdist.write_to(tmp_path))
    for named in ["download", path], ["lock", "-e", str(tmp_path)]:
        result = pip(*named, *options, code=1)
        assert refused(result).startswith("nothing-is-built-for-another-machine\n")
        assert "lock" in named or "after a build" not in result.stderr


def test_no_sdist_that_is_asked_for(pip: Pip, native: list[str]) -> None:
    result = pip("download", "--no-binary", "native", "native", *native, *MAC, code=1)
    assert (
        "× --no-binary native contradicts --variant-host macos-arm64-py313."
        in result.stderr
    )


def test_no_requirements_file_takes_that_back(
    pip: Pip, index: IndexServer, tmp_path: Path
) -> None:
    index.add(make_sdist("source", "2.0"))
    index.add(make_wheel("source", "1.0"))
    index.add(make_sdist("only", "1.0"))
    listed, nested = tmp_path / "requirements.txt", tmp_path / "nested.txt"
    listed.write_text("-r nested.txt\n", encoding="utf-8")
    nested.write_text("--only-binary :none:\n", encoding="utf-8")
    options = ["-i", index.index_url, *MAC]
    result = pip("download", "source", "-r", str(listed), *options)
    assert "source-1.0" in result.stdout
    result = pip("download", "only", "-c", str(nested), *options, code=1)
    assert SDIST_ONLY.replace("source 1.0", "only 1.0") in result.stderr


@pytest.mark.locks
def test_what_a_lock_file_lacks_on_another_patch_release(
    pip: Pip, index: IndexServer, tmp_path: Path
) -> None:
    index.add(
        make_wheel("app", "1.0", requires=["new; python_full_version >= '3.12.3'"])
    )
    index.add(make_wheel("new", "1.0"))
    lock, options = tmp_path / "pylock.toml", ["-i", index.index_url]
    host = ["--variant-host", "linux-x86_64-py3.12.2"]
    pip("lock", "app", *options, *host, "-o", str(lock))
    host = ["--variant-host", "linux-x86_64-py3.12.3"]
    result = pip("download", "-r", str(lock), *options, *host, code=1)
    assert refused(result).startswith("not-in-the-lock-file\n")
    assert "× The lock file does not contain 'new" in result.stderr
    assert "app==1.0 requires this package" in result.stderr
    # Whether an index has it does not matter.
    index.projects.pop("new")
    for where in options, ["--no-index"]:
        result = pip("download", "-r", str(lock), *where, *host, code=1)
        assert refused(result).startswith("not-in-the-lock-file\n")
        assert "--extra-index-url" not in result.stderr


# Beside upstream's options


@pytest.mark.parametrize("options", [["--platform", ARM], ["--abi", "abi3"]])
def test_beside_options(
    pip: Pip, index: IndexServer, native: list[str], options: Sequence[str]
) -> None:
    """A host that describes a platform and a Python describes all of them."""
    command = ["download", "native", *native, "--only-binary", ":all:", *options]
    result = pip(*command, "--variant-host", "cpu-aarch64-py312", code=1)
    assert result.stderr.startswith(
        "error: contradictory-options\n\n× An option such as --platform or "
        "--python-version contradicts --variant-host cpu-aarch64-py312.\n"
    )
    assert index.log() == []


def test_what_a_host_does_not_say_options_say(
    pip: Pip, native: list[str], tmp_path: Path
) -> None:
    command = ["download", "native", *native, "-d", str(tmp_path / "files")]
    command += ["--platform", "win_amd64", "--python-version", "3.12"]
    pip(*command, "--only-binary", ":all:", "--variant-host", "cuda-12.8-sm_90")
    assert names(tmp_path / "files") == {"win_amd64", "onwindows", "old"}


def test_what_is_outdated_here(pip: Pip, index: IndexServer) -> None:
    """Where a variable or a configuration names a host for all commands."""
    index.add(make_wheel("lib", "1.0"))
    index.add(make_wheel("lib", "2.0"), requires_python=">=3.99")
    pip("install", "lib==1.0", "-i", index.index_url)
    env = {"PIP_VARIANT_HOST": "macos-arm64-py3.99"}
    result = pip("list", "--outdated", "-i", index.index_url, env=env)
    assert "lib" not in result.stdout


def test_another_kind_of_python(
    pip: Pip, index: IndexServer, native: list[str], host: WriteHost
) -> None:
    tag = "graalpy312-graalpy250_312_native-manylinux_2_17_x86_64"
    index.add(make_wheel("native", "2.0", tag=tag))
    described = complete(pip, "glibc-2.35-x86_64-py312")
    described["environment"] |= {
        "implementation_name": "graalpy",
        "platform_python_implementation": "GraalVM",
    }
    described["abis"] = ["graalpy250_312_native"]
    command = ["download", "native", *native, "--variant-host", host(described)]
    assert f"native-2.0-{tag}.whl" in pip(*command).stdout


# Files of all sorts


@pytest.mark.parametrize(
    ("part", "missing"),
    [
        ("abis", "Missing: 'abis'."),
        (
            "environment",
            "Missing: in 'environment': implementation_name, implementation",
        ),
    ],
)
def test_a_file_that_describes_a_part(
    pip: Pip, host: WriteHost, part: str, missing: str
) -> None:
    described = complete(pip, "windows-x86_64-py312")
    del described[part]
    result = pip("variants", "host", "--variant-host", host(described), code=1)
    said = " ".join(result.stderr.replace("│", " ").split()).replace("╰─> ", "")
    assert f"The file describes only part of a machine. {missing}" in said
    assert "Write a complete file on that machine: pip variants host --json." in said


def test_this_machine_described_whole(
    pip: Pip, index: IndexServer, fast: list[str], tmp_path: Path
) -> None:
    """It is still this one: things are built, and installed here."""
    host = tmp_path / "here.json"
    host.write_text(pip("variants", "host", "--json").stdout, encoding="utf-8")
    index.add(make_sdist("source", "1.0"))
    options = [*fast, "--variant-host", str(host), "--no-build-isolation"]
    assert "Successfully installed fast-1.0" in pip("install", "fast", *options).stdout
    assert "Saved" in pip("download", "source", "--no-deps", *options).stdout


def test_what_is_needed_to_build_is_needed_here(
    pip: Pip, index: IndexServer, host: WriteHost
) -> None:
    """What differs in nothing but its kernel has the same wheels."""
    marker = "platform_release == 'other'"
    sdist = make_sdist(
        *("source", "1.0"),
        requires=[f"there; {marker}"],
        build_requires=[f"missing; {marker}"],
    )
    index.add(sdist)
    index.add(make_wheel("there", "1.0"))
    described = host(make_host(environment={"platform_release": "other"}))
    command = ["install", "source", "-i", index.index_url, "--variant-host", described]
    result = pip(*command)
    assert "Successfully installed source-1.0 there-1.0" in result.stdout


@pytest.mark.locks
def test_variants_from_a_lock_file(pip: Pip, fast: list[str], tmp_path: Path) -> None:
    arm = ["--variant-host", "cpu-aarch64"]
    lock = tmp_path / "pylock.toml"
    pip("lock", "fast", *fast, *arm, "-o", str(lock))
    text = lock.read_text(encoding="utf-8")
    assert "x86_64" not in text
    assert text.count(f"{ARM}-armv8.whl") >= 1
    result = pip("download", "-r", str(lock), *fast, *arm)
    assert f"fast-1.0-py3-none-{ARM}-armv8.whl" in result.stdout
    # It is not for this machine.
    result = pip("download", "-r", str(lock), *fast, code=1)
    assert "locked-for-other-machines" in result.stderr
    # Others do not say for which one it is.
    left = re.sub(r"^environments = \[.*?\]\n", "", text, flags=re.M | re.S)
    lock.write_text(left, encoding="utf-8")
    result = pip("download", "-r", str(lock), *fast, code=1)
    why = f"For fast 1.0, the lock file lists fast-1.0-py3-none-{ARM}-armv8.whl."
    assert why in result.stderr


@pytest.mark.locks
def test_a_lock_file_says_for_which_machine_it_is(
    pip: Pip, index: IndexServer, tmp_path: Path
) -> None:
    index.add(make_wheel("onmac", "1.0"))
    index.add(make_wheel("app", "1.0", requires=["onmac; sys_platform == 'darwin'"]))
    lock, options = tmp_path / "pylock.toml", ["-i", index.index_url]
    pip("lock", "app", *options, *MAC, "-o", str(lock))
    result = pip("download", "-r", str(lock), *options, *MAC)
    assert "onmac-1.0" in result.stdout
    result = pip("download", "-r", str(lock), *options, code=1)
    assert "× pylock.toml is for other machines." in result.stderr.replace(
        str(tmp_path) + "/", ""
    )
    assert 'The lock file is for sys_platform == "darwin" and ' in result.stderr
    assert "Make a lock file for this machine: run pip lock" in result.stderr


GRAMMAR = (
    "A name has dash-joined parts in any order: cuda-X.Y-sm_NN, "
    "rocm[-VERSION][-gfxNNN], xpu, tpu or cpu; x86_64[-vN], aarch64 or tegra (Jetson); "
    "linux, macos[-VERSION] or windows; glibc-2.NN or musl-1.N; py312. Examples: "
    "cuda-12.8-sm_90 (CUDA 12.8, compute capability 9.0), cuda-12.8-h100, "
    "rocm-7.1-mi300x. For other machines, run there: pip variants host --json > host.json. Then add --variant-host host.json."
)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("cuda-12.8-sm90", "cuda-12.8-sm_90"),
        ("cuda-12.8-rxt4090", "cuda-12.8-rtx4090"),
        # No other version is proposed.
        ("mine", None),
    ],
)
def test_an_unknown_name(
    pip: Pip, index: IndexServer, fast: list[str], name: str, nearest: str | None
) -> None:
    result = pip("install", "fast", *fast, "--variant-host", name, code=1)
    meant = "" if nearest is None else f"╰─> Did you mean '{nearest}'?\n"
    assert result.stderr == (
        "error: unknown-variant-host\n"
        "\n"
        f"× '{name}' is neither a file nor a known host name.\n"
        f"{meant}\n"
        f"hint: {GRAMMAR}\n"
    )
    assert index.log() == []


@pytest.mark.parametrize(
    ("name", "why", "hint"),
    [
        (
            "cuda-12.8",
            "The name lacks the GPU or its compute capability.",
            "For example: cuda-12.8-sm_90",
        ),
        ("mi300x", "The name lacks the ROCm version.", "For example: rocm-7.1-mi300x"),
    ],
)
def test_a_gpu_and_its_driver_need_each_other(
    pip: Pip, name: str, why: str, hint: str
) -> None:
    result = pip("variants", "host", "--variant-host", name, code=1)
    assert result.stderr == (
        f"error: invalid-variant-host\n\n× The variant host '{name}' cannot be used.\n"
        f"╰─> {why}\n\nhint: {hint}\n"
    )


@pytest.mark.parametrize(
    ("name", "supported"),
    [
        ("cuda-12.8-A10G", "sm_arch 86_real"),
        ("cuda-13.0-gb10-aarch64", "sm_arch 121_real"),
        ("rocm-7.1-mi300x", "gfx_arch gfx942"),
        # Blanks around a name do not count.
        (" cuda-12.8-h100 ", "sm_arch 90_real"),
    ],
)
def test_the_name_of_a_gpu(pip: Pip, name: str, supported: str) -> None:
    result = pip("variants", "host", "--variant-host", name)
    assert supported in result.stdout


@pytest.mark.locks
def test_a_lock_for_a_machine_that_was_described_says_so_wherever_it_is_made(
    pip: Pip, index: IndexServer, tmp_path: Path
) -> None:
    """One for hardware alone may be for any."""
    index.add(make_wheel("app", "1.0"))
    lock = tmp_path / "pylock.toml"
    for name in f"linux-x86_64-py3{sys.version_info[1]}", "cuda-12.8-sm_90":
        host = ["--variant-host", name]
        pip("lock", "app", "-i", index.index_url, *host, "-o", str(lock))
        environments = tomli.loads(lock.read_text("utf-8")).get("environments", [])
        assert any("sys_platform" in each for each in environments) == ("x86" in name)


def test_what_is_installed_here_is_for_this_very_python(
    pip: Pip, index: IndexServer
) -> None:
    """Whatever patch release of it a host names."""
    minor = ".".join(map(str, sys.version_info[:2]))
    index.add(make_wheel("app", "1.0"))
    index.add(make_wheel("app", "2.0", requires_python=f">={minor}.90"))
    named = ["app", "-i", index.index_url, "--variant-host", f"py{minor}.95"]
    assert "app-2.0" in pip("install", "--dry-run", *named).stdout
    assert "app-1.0" in pip("install", *named).stdout


def test_a_report_is_of_the_target(pip: Pip, index: IndexServer) -> None:
    index.add(make_wheel("app", "1.0"))
    command = ["install", "--dry-run", "-q", "app", "-i", index.index_url]
    for options, system in (
        (["--variant-host", "windows-py312"], "win32"),
        ([], sys.platform),
    ):
        result = pip(*command, *options, "--report", "-")
        assert json.loads(result.stdout)["environment"]["sys_platform"] == system


def test_why_no_file_is_for_another_machine(pip: Pip, index: IndexServer) -> None:
    """That nothing is built for it hides no other reason."""
    index.add(make_sdist("source", "1.0"))
    index.replace("source-1.0.tar.gz", requires_python=">=3.12")
    options = ["-i", index.index_url, "--variant-host"]
    result = pip("download", "source", *options, "windows-x86_64-py310", code=1)
    assert ": for other versions of Python" in result.stderr
    assert "pip wheel" not in result.stderr
    result = pip("download", "source", *options, "windows-x86_64-py312", code=1)
    assert "(pip cannot build the source distribution for" in result.stderr


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_that_a_shell_of_windows_writes(
    pip: Pip, tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "node.json"
    path.write_text(json.dumps(make_host(cuda="12.8", capability="9.0")), encoding)
    result = pip("variants", "host", "--variant-host", str(path))
    assert "sm_arch 90_real" in result.stdout


def test_the_exact_tags_are_told(pip: Pip, index: IndexServer) -> None:
    index.add(make_wheel("late", "1.0", tag="cp312-cp312-manylinux_2_39_x86_64"))
    options = ["-i", index.index_url, "--variant-host", "glibc-2.35-x86_64-py312"]
    result = pip("download", "late", *options, code=1)
    assert (
        "pip accepts wheels for cp312 on manylinux_2_35_x86_64 and older"
        in result.stderr
    )
    told = pip("variants", "host", "--variant-host", "linux-glibc-2.35-aarch64-py313t")
    takes = "accepts wheels for cp313 with cp313t on manylinux_2_35_aarch64"
    assert f"target: Linux aarch64 CPython 3.13.0 ({takes})\n" in told.stdout


def test_a_host_that_nobody_typed(
    pip: Pip, native: list[str], index: IndexServer
) -> None:
    """Errors say where it comes from, and one that is empty leaves it out."""
    index.add(make_wheel("app", "1.0"))
    index.add(make_sdist("source", "1.0"))
    for named in "windows-x86_64-py312", "gone.json":
        note = (
            f"'{named}' comes from PIP_VARIANT_HOST or the configuration. To ignore it: "
            "--variant-host ''"
        )
        env = {"PIP_VARIANT_HOST": named}
        for command in ["download", "source"], ["install", "app"]:
            result = pip(*command, *native, env=env, code=1)
            assert note in result.stderr
        result = pip("download", "app", *native, "--variant-host", "", env=env)
        assert "app-1.0" in result.stdout
        result = pip("install", "app", *native, "--variant-host", "nosuch", code=1)
        assert note not in result.stderr
    # What tells hardware alone has no part in it.
    for named in "windows-x86_64-py312", "cuda-12.8-sm_90":
        env = {"PIP_VARIANT_HOST": named}
        result = pip("download", "app", *native, "--no-variants", env=env)
        told = "With --no-variants, pip ignores it" in result.stderr
        assert told == named.startswith("windows")


def test_a_python_that_only_the_wheel_refuses(pip: Pip, tmp_path: Path) -> None:
    """Upstream's error tells it, and nothing is looked for elsewhere."""
    own = variant_json(make_manifest({"null": {}}, namespaces=["nvidia"]), "null")
    wheel = make_wheel(
        "app", "1.0", label="null", variant_json=own, requires_python=">=3.39"
    )
    wheel.write_to(tmp_path)
    options = ["--no-index", "--find-links", str(tmp_path)]
    result = pip("install", "--dry-run", "app", *options, code=1)
    assert "Package 'app' requires a different Python" in result.stderr
    pip("lock", "app", *options, "--variant-host", "linux-x86_64-py339")
    assert "dependency-not-listed" not in result.stderr
    # What explains the choice reads the wheels, too.
    result = pip("variants", "explain", "app", *options, code=1)
    assert ": for other versions of Python" in result.stdout
