"""``wheel-variants adopt``: what exists becomes variants, and stays as it was."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.lib.environments import Result
from tests.lib.guides import block
from tests.lib.hosts import forced
from tests.lib.publisher import Publisher
from tests.lib.static_server import StaticServer
from tests.lib.wheels import make_sdist, make_wheel

Pip = Callable[..., Result]

TAG = "py3-none-any"
LOCALS = ("cpu", "cu126", "cu128", "rocm6.4")


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """Return a folder with what an organisation mirrors."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    for local in LOCALS:
        files = {
            "torch/__init__.py": f"local = {local!r}\n",
            f"torch-2.8.0+{local}.data/scripts/tool": f"#!python\nprint({local!r})\n",
        }
        make_wheel("torch", f"2.8.0+{local}", files=files).write_to(folder)
        requires = [f"torch==2.8.0+{local}", "numpy>=1"]
        make_wheel("torchvision", f"0.23.0+{local}", requires=requires).write_to(folder)
    return folder


def adopted(
    publish: Publisher, folder: Path, *options: str, code: int = 0
) -> dict[str, Any]:
    """Return what the program tells other programs."""
    result = publish("adopt", folder, "--json", *options, code=code)
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def digests(folder: Path) -> Mapping[str, str]:
    """Return the hashes of all files of a folder."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
    }


def text_of(wheel: Path, name: str) -> str:
    """Return a file of a wheel's metadata."""
    with ZipFile(wheel) as archive:
        (path,) = (n for n in archive.namelist() if n.endswith(f".dist-info/{name}"))
        return archive.read(path).decode()


def test_the_plan_writes_nothing(
    publish: Publisher, wheels: Path, tmp_path: Path
) -> None:
    before = digests(wheels)
    result = publish("adopt", str(wheels))
    assert (
        "torch-2.8.0+cu128-py3-none-any.whl\n"
        "  becomes torch-2.8.0-py3-none-any-cu128.whl\n"
        "  needs cuda_toolkit :: version :: 12.8, "
        "nvidia :: cuda_version_lower_bound :: 12.0 (cu128: CUDA 12)\n"
    ) in result.stdout
    assert (
        "torch 2.8.0: cu126 and cu128 need the same of a machine, so installers always "
        "choose cu128.\n"
    ) in result.stdout
    assert digests(wheels) == before
    assert "Nothing was written. To write it, add --output-dir DIR." in result.stdout
    publish("adopt", wheels, "-d", tmp_path / "out")
    assert digests(wheels) == before
    assert len(list((tmp_path / "out").glob("*.whl"))) == 2 * len(LOCALS)


@pytest.mark.parametrize(
    ("driver", "label"), [("12.8", "cu128"), ("11.8", "cpu"), (None, "cpu")], ids=str
)
def test_adopted_indexed_and_installed(
    pip: Pip,
    publish: Publisher,
    wheels: Path,
    tmp_path: Path,
    driver: str | None,
    label: str,
) -> None:
    """Of two builds for CUDA 12, the one with the newer toolkit is taken."""
    out = tmp_path / "out"
    publish("adopt", str(wheels), "-d", str(out))
    make_wheel("numpy", "2.0").write_to(out)
    publish("index", str(out), "--simple")
    checked = publish("check", str(out)).stdout
    assert " 0 errors" in checked
    with StaticServer(out) as server:
        result = pip(
            *("install", "torchvision", "-i", server.index_url),
            env=forced(driver) if driver else None,
        )
    assert f"torch-2.8.0 ({label})" in result.stdout
    assert f"torchvision-0.23.0 ({label})" in result.stdout
    assert "No broken" in pip("check").stdout


def test_the_guide(pip: Pip, publish: Publisher, wheels: Path, tmp_path: Path) -> None:
    def typed(name: str) -> list[Result]:
        found = []
        for command in block("adopting.md", name).splitlines():
            program, *words = shlex.split(command)
            run: Pip = publish if program == "wheel-variants" else pip
            found.append(run(*words, cwd=wheels.parent))
            assert found[-1].stderr == ""
        return found

    typed("adopt")
    assert (tmp_path / "adopted/simple/torchvision/index.html").is_file()
    more = tmp_path / "wheels"
    more.mkdir()
    needs = ["nvidia-cublas-cu12"]
    for wheel in (
        make_wheel("onnxruntime", "1.0"),
        make_wheel("onnxruntime-gpu", "1.0", requires=needs),
        make_wheel("tool", "1.0+cu128"),
    ):
        (more / wheel.filename).write_bytes(wheel.content)
    typed("twins")
    assert (tmp_path / "adopted/onnxruntime-1.0-py3-none-any-gpu.whl").is_file()
    typed("one")
    *_, listed = typed("check")
    assert "* 1    cu128" in listed.stdout


def test_what_a_wheel_says_of_itself(
    publish: Publisher, wheels: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    found = adopted(publish, wheels, "-d", str(out))
    written = {Path(each["path"]).name: each["sha256"] for each in found["written"]}
    assert written == digests(out)
    wheel = out / "torchvision-0.23.0-py3-none-any-cu128.whl"
    metadata = text_of(wheel, "METADATA").splitlines()
    assert "Version: 0.23.0" in metadata
    assert "Requires-Dist: torch==2.8.0" in metadata
    assert "Requires-Dist: numpy>=1" in metadata
    source = "torchvision-0.23.0+cu128-py3-none-any.whl"
    assert json.loads(text_of(wheel, "adopted.json")) == {
        "file": source,
        "sha256": digests(wheels)[source],
        "rule": "cu128: CUDA 12",
    }
    # The same again gives the same.
    assert adopted(publish, wheels, "-d", str(out)) == found


def test_cpu_as_null(publish: Publisher, wheels: Path) -> None:
    found = adopted(publish, wheels, "--cpu-as-null")["adopted"]
    labels = {each["file"]: each["label"] for each in found}
    assert labels["torch-2.8.0+cpu-py3-none-any.whl"] == "null"


def test_one_folder_after_the_other(publish: Publisher, tmp_path: Path) -> None:
    """What is there already decides which namespace comes first."""
    out = tmp_path / "out"
    for number, local in enumerate(("cpu", "rocm6.4", "cu128", "pt28cu126")):
        folder = tmp_path / f"mirror{number}"
        folder.mkdir()
        make_wheel("torch", f"2.8.0+{local}").write_to(folder)
        publish("adopt", str(folder), "-d", str(out))
    result = publish("index", str(out))
    assert "torch 2.8.0: 4 variants" in result.stdout


def test_what_is_left_alone(publish: Publisher, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    folder.mkdir()
    make_wheel("torch", "2.8.0+xpu").write_to(folder)
    make_wheel("torch", "2.8.0+cu128", label="cu128").write_to(folder)
    make_wheel("numpy", "2.0").write_to(folder)
    make_sdist("source", "1.0").write_to(folder)
    (folder / "torch-2.8.0+cu128-py3-none-any.whl").write_bytes(b"PK")
    (folder / "notes.txt").write_text("x")
    found = adopted(publish, folder, "-d", str(tmp_path / "out"), code=1)
    assert {each["file"]: each["why"].partition(":")[0] for each in found["left"]} == {
        "torch-2.8.0+xpu-py3-none-any.whl": (
            "its local version does not define what a machine needs"
        ),
        "torch-2.8.0+cu128-py3-none-any-cu128.whl": "it is a variant already",
        "numpy-2.0-py3-none-any.whl": "it is a plain wheel of another release",
        "torch-2.8.0+cu128-py3-none-any.whl": "it is not a zip archive",
        "source-1.0.tar.gz": "it is not a wheel",
        "notes.txt": "it is not a wheel",
    }
    assert not (tmp_path / "out").exists()


def test_what_is_damaged(publish: Publisher, wheels: Path, tmp_path: Path) -> None:
    """It is known at once, or when it is read; the others are adopted."""
    name = "bad-1.0+cu128-py3-none-any.whl"
    make_wheel("bad", "1.0+cu128").write_to(wheels)
    content = bytearray((wheels / name).read_bytes())
    place = content.index(b"bad/__init__.py") + len(b"bad/__init__.py") + 5
    content[place] ^= 1
    (wheels / name).write_bytes(content)
    other = make_wheel("other", "1.0+cu128").content
    (wheels / "another-1.0+cu128-py3-none-any.whl").write_bytes(other)
    out = tmp_path / "out"
    found = adopted(publish, wheels, "-d", str(out), code=1)
    left = {each["file"]: each["why"] for each in found["left"]}
    assert "damaged" in left[name] or "cannot be read" in left[name]
    assert len(list(out.glob("torch*.whl"))) == 2 * len(LOCALS)
    assert not list(out.glob("bad*"))


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        ("Name: lib\nVersion:\n 1.0+cu128\n", "not on separate lines"),
        ("Name: other\nVersion: 1.0+cu128\n", "of another release than its name"),
        ("Name: lib\nVersion: 3\n", "of another release than its name"),
        ("Name: lib\n", "of another release than its name"),
    ],
    ids=["folded", "another name", "another version", "no version"],
)
def test_metadata_of_another_release(
    publish: Publisher, tmp_path: Path, metadata: str, why: str
) -> None:
    folder = tmp_path / "mirror"
    folder.mkdir()
    name = "lib-1.0+cu128-py3-none-any.whl"
    make_wheel("lib", "1.0+cu128").write_to(tmp_path)
    with ZipFile(tmp_path / name) as old, ZipFile(folder / name, "w") as new:
        for info in old.infolist():
            is_it = info.filename.endswith("/METADATA")
            content = f"Metadata-Version: 2.1\n{metadata}".encode()
            new.writestr(info, content if is_it else old.read(info))
    (left,) = adopted(publish, folder, code=1)["left"]
    assert why in left["why"]


def test_a_wheel_that_was_renamed(publish: Publisher, tmp_path: Path) -> None:
    """Its name alone has a local version, as of flash-attention's wheels."""
    folder, out = tmp_path / "mirror", tmp_path / "out"
    folder.mkdir()
    name = f"lib-1.0+cu12torch2.9-{TAG}.whl"
    make_wheel("lib", "1.0", filename=name).write_to(folder)
    adopted(publish, folder, "-d", str(out))
    wheel = out / f"lib-1.0-{TAG}-cu12torch2.9.whl"
    assert "Version: 1.0\n" in text_of(wheel, "METADATA")
    checked = publish("check", str(wheel)).stdout
    assert " 0 errors" in checked


def test_folders_that_would_be_one(publish: Publisher, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    folder.mkdir()
    files = {"lib-1.0.data/data/x": "1", "lib-1.0+cu128.data/data/x": "2"}
    make_wheel("lib", "1.0+cu128", files=files).write_to(folder)
    (left,) = adopted(publish, folder, code=1)["left"]
    assert left["why"] == "it has a folder lib-1.0.data already"


def test_who_requires_what_is_gone(publish: Publisher, wheels: Path) -> None:
    requires = ["torch==2.8+cu128", "numpy"]
    make_wheel("torchvision", "0.23.0", requires=requires).write_to(wheels)
    make_wheel("user", "1.0", requires=requires).write_to(wheels)
    assert adopted(publish, wheels)["requiring"] == [
        {"file": f"{name}-py3-none-any.whl", "requires": "torch==2.8+cu128"}
        for name in ("torchvision-0.23.0", "user-1.0")
    ]


@pytest.mark.parametrize(
    ("requirement", "tag", "is_proved"),
    [
        ('nvidia-cublas-cu12; sys_platform == "linux"', "linux_x86_64", True),
        ('nvidia-cublas-cu12; sys_platform == "win32"', "linux_x86_64", False),
        ('nvidia-cublas-cu12; sys_platform == "win32"', "any", False),
        ('nvidia-cublas-cu12; extra == "gpu"', "linux_x86_64", False),
    ],
)
def test_what_a_requirement_proves(
    publish: Publisher, tmp_path: Path, requirement: str, tag: str, is_proved: bool
) -> None:
    folder = tmp_path / "mirror"
    folder.mkdir()
    wheel = make_wheel("x-gpu", "1.0", requires=[requirement], tag=f"py3-none-{tag}")
    wheel.write_to(folder)
    code = 0 if is_proved else 1
    found = adopted(publish, folder, "--twin", "x-gpu=x", code=code)["adopted"]
    assert bool(found) == is_proved


def test_what_the_user_says(publish: Publisher, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    folder.mkdir()
    make_wheel("torch", "2.8.0+xpu").write_to(folder)
    make_wheel("torch", "2.8.0+npu").write_to(folder)
    table = tmp_path / "pyproject.toml"
    table.write_text(
        '[variant.properties]\nxpu = ["intel :: device_ip :: 20.1.0"]\n'
        'npu = ["npu :: kind :: b1"]\n'
    )
    found = adopted(publish, folder, "--pyproject", str(table))
    (only,) = found["adopted"]
    assert only["properties"] == ["intel :: device_ip :: 20.1.0"]
    (left,) = found["left"]
    assert left["why"].startswith("nothing names the provider of the namespace npu")


def test_twins(pip: Pip, publish: Publisher, tmp_path: Path) -> None:
    folder, out = tmp_path / "mirror", tmp_path / "out"
    folder.mkdir()
    requires = ["nvidia-cublas-cu12"]
    make_wheel("onnxruntime-gpu", "1.20", requires=requires).write_to(folder)
    make_wheel("onnxruntime", "1.20").write_to(folder)
    make_wheel("reader", "1.0", requires=["onnxruntime_gpu>1"]).write_to(folder)
    assert adopted(publish, folder, code=1)["adopted"] == []
    twin = ["--twin", "onnxruntime-gpu=onnxruntime"]
    found = adopted(publish, folder, *twin, "-d", str(out))
    assert found["requiring"] == [
        {"file": "reader-1.0-py3-none-any.whl", "requires": "onnxruntime_gpu>1"}
    ]
    assert found["kept"] == ["onnxruntime-1.20-py3-none-any.whl"]
    wheel = out / "onnxruntime-1.20-py3-none-any-gpu.whl"
    assert "Name: onnxruntime\n" in text_of(wheel, "METADATA")
    make_wheel("nvidia-cublas-cu12", "12.8").write_to(out)
    publish("index", str(out))
    install = ["install", "onnxruntime", "--no-index", "-f", str(out)]
    assert "onnxruntime-1.20 (gpu)" in pip(*install, env=forced("12.8")).stdout


def test_builds_with_the_abi_of_torch(publish: Publisher, tmp_path: Path) -> None:
    """The user may have another torch, and say so."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    for abi in ("TRUE", "FALSE"):
        make_wheel("flash-attn", f"2.8.3+cu12torch2.9cxx11abi{abi}").write_to(folder)
    found = adopted(publish, folder)
    assert [each["label"] for each in found["adopted"]] == ["cu12torch2.9cxx11abitrue"]
    (left,) = found["left"]
    assert left["why"].startswith("torch 2.9 for Linux is built with the C++11 ABI. If")
    table = tmp_path / "pyproject.toml"
    needs = ["nvidia :: cuda_version_lower_bound :: 12.0"]
    labels = (f"cu12torch2.9cxx11abi{abi}" for abi in ("true", "false"))
    lines = (f'"{label}" = {json.dumps(needs)}\n' for label in labels)
    table.write_text(f"[variant.properties]\n{''.join(lines)}")
    found = adopted(publish, folder, "--pyproject", str(table))
    assert len(found["adopted"]) == 2
    (alike,) = found["alike"]
    assert alike.endswith("always choose cu12torch2.9cxx11abifalse")


def test_the_snippet_names_gpus(pip: Pip, publish: Publisher, tmp_path: Path) -> None:
    """As it is printed, it can be put into pyproject.toml."""
    folder, out = tmp_path / "mirror", tmp_path / "out"
    folder.mkdir()
    for local in ("cu126", "cu128"):
        make_wheel("torch", f"2.8.0+{local}").write_to(folder)
    printed = publish("adopt", folder).stdout
    table = tmp_path / "pyproject.toml"
    snippet = printed[printed.index("[variant.properties]") :].partition("\n\n")[0]
    table.write_text(snippet.replace('"nvidia :: sm_arch :: 60_real", ', "", 2))
    assert '"cu126" = ["cuda_toolkit :: version :: 12.6", ' in snippet
    found = adopted(publish, folder, "--pyproject", str(table), "-d", str(out))
    assert found["alike"] == []
    publish("index", out)
    install = ["install", "torch", "--no-index", "-f", out, "--dry-run"]
    assert "torch-2.8.0 (cu128)" in pip(*install, env=forced("12.8", "12.0")).stdout
    assert "torch-2.8.0 (cu126)" not in pip(*install, env=forced("12.8", "7.0")).stdout


def test_twins_for_each_cuda(publish: Publisher, tmp_path: Path) -> None:
    """What they require of each other has the new names too."""
    folder, out = tmp_path / "mirror", tmp_path / "out"
    folder.mkdir()
    twins = []
    for name, needs in (
        ("x-cuda12x", "numpy"),
        ("x-cuda13x", "y_cu13[all]==1.0 ; os_name != 'nt'"),
        ("y-cu12", "nvidia-cublas-cu12"),
        ("y-cu13", "cuda-toolkit==13.*"),
    ):
        make_wheel(name, "1.0", requires=[needs]).write_to(folder)
        twins += ["--twin", f"{name}={name[0]}"]
    found = adopted(publish, folder, *twins, "-d", str(out))
    bounds = {each["label"]: each["properties"] for each in found["adopted"]}
    assert bounds == {
        f"{name}{major}{x}": [f"nvidia :: cuda_version_lower_bound :: {major}.0"]
        for name, x in (("cuda", "x"), ("cu", ""))
        for major in (12, 13)
    }
    assert found["requiring"] == []
    metadata = text_of(out / "x-1.0-py3-none-any-cuda13x.whl", "METADATA")
    assert "Requires-Dist: y[all]==1.0 ; os_name != 'nt'\n" in metadata
    # What nothing proves gets advice for its own CUDA.
    make_wheel("z", "1.0+cu130.dev").write_to(folder)
    (left,) = adopted(publish, folder, *twins)["left"]
    assert left["why"].endswith('cuda_version_lower_bound :: 13.0"]')


def test_two_that_would_be_one(publish: Publisher, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    folder.mkdir()
    make_wheel("my-lib", "1.0+cu128").write_to(folder)
    twin = make_wheel("my_lib_gpu", "1.0+cu128")
    twin.write_to(folder)
    found = adopted(publish, folder, "--twin", "my-lib-gpu=my-lib")
    assert len(found["adopted"]) == 1
    (left,) = found["left"]
    assert left["why"].startswith("it would get the same name as my_lib-1.0+cu128")


def test_what_does_not_hold_any_longer(
    publish: Publisher, wheels: Path, tmp_path: Path
) -> None:
    name = "torch-2.8.0+cu128-py3-none-any.whl"
    (wheels / f"{name}.publish.attestation").write_text("{}")
    with ZipFile(wheels / name, "a") as archive:
        archive.writestr("torch-2.8.0+cu128.dist-info/RECORD.jws", b"{}")
    found = adopted(publish, wheels, "-d", str(tmp_path / "out"))
    (dropped,) = (each["dropped"] for each in found["adopted"] if each["dropped"])
    assert dropped == ["its signature RECORD.jws", f"{name}.publish.attestation"]
    wheel = tmp_path / "out" / "torch-2.8.0-py3-none-any-cu128.whl"
    with ZipFile(wheel) as archive:
        assert not [each for each in archive.namelist() if "jws" in each]


@pytest.mark.parametrize(
    "provider", ['requires = "npu-provider"', 'plugin-api = "npu"', "builtin = 3"]
)
def test_a_provider_of_the_wrong_form(
    publish: Publisher, tmp_path: Path, provider: str
) -> None:
    """It is told at once, and nothing is written."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    make_wheel("npulib", "1.0+b2").write_to(folder)
    table = tmp_path / "pyproject.toml"
    table.write_text(
        f"[variant.providers.npu]\n{provider}\n\n[variant.properties]\n"
        'b2 = ["npu :: kind :: b2"]\n'
    )
    command = ["adopt", str(folder), "-d", str(tmp_path / "new")]
    result = publish(*command, "--pyproject", table, code=1)
    assert "npu" in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.glob("new/*.whl"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing-there"], "No such file"),
        ([], "Name either DIR or --release-listing"),
        (["MIRROR", "--release-listing", "x"], "Name either DIR or --release-listing"),
        (["--release-listing", "x", "--twin", "a=b"], "--twin renames wheels"),
        (["MIRROR", "-d", "MIRROR"], "must not be that of the wheels"),
        (["MIRROR", "--twin", "a"], "expected NAME=PROJECT"),
        (["MIRROR", "--pyproject", "none.toml"], "cannot be read"),
        (["MIRROR", "--twin", "a=a"], "a cannot be a twin and a project"),
        (
            ["MIRROR", "--twin", "a=b", "--twin", "b=c"],
            "b cannot be a twin and a project",
        ),
        (["MIRROR", "--twin", "a=b", "--twin", "a=c"], "of two projects: b and c"),
    ],
    ids=[
        *(
            "no folder",
            "no argument",
            "two sources",
            "a twin of a listing",
            "in place",
            "no twin",
            "no table",
        ),
        *("itself", "a chain", "two"),
    ],
)
def test_wrong_use(
    publish: Publisher, wheels: Path, arguments: Sequence[str], said: str
) -> None:
    before = digests(wheels)
    words = [word.replace("MIRROR", str(wheels)) for word in arguments]
    result = publish("adopt", *words, code=None)
    assert result.returncode in (1, 2)
    assert said in result.stderr
    assert "Traceback" not in result.output
    assert digests(wheels) == before


def test_one_wheel(publish: Publisher, wheels: Path, tmp_path: Path) -> None:
    wheel = wheels / "torch-2.8.0+cu128-py3-none-any.whl"
    build = ["build", str(wheel), "--label", "cu128", "--drop-local"]
    needs = ["--property", "nvidia :: cuda_version_lower_bound :: 12.0"]
    result = publish(*build, *needs, "-d", str(tmp_path / "out"))
    built = tmp_path / "out" / "torch-2.8.0-py3-none-any-cu128.whl"
    assert result.stdout == f"Built {built}\n"
    assert "Version: 2.8.0\n" in text_of(built, "METADATA")
    plain = ["build", str(built), "--from-label", "--drop-local"]
    result = publish(*plain, "-d", str(tmp_path / "other"), code=1)
    assert "it has no local version" in result.stderr


#: By name: what stands in the place of a wheel and must be neither read nor linked to.
STRAYS: dict[str, Callable[[Path, Path], None]] = {
    "a link that leads out": lambda path, outside: path.symlink_to(outside),
    "a link that leads nowhere": lambda path, _: path.symlink_to("nowhere"),
    "a link to a device": lambda path, _: path.symlink_to("/dev/zero"),
    "a pipe": lambda path, _: os.mkfifo(path),
}


@pytest.mark.linux
@pytest.mark.parametrize("version", ["2.8.0+cu128", "2.8.0"], ids=["adopted", "kept"])
@pytest.mark.parametrize("stray", STRAYS)
def test_only_files_of_the_folder_are_adopted(
    publish: Publisher, wheels: Path, tmp_path: Path, stray: str, version: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    outside = make_wheel("torch", version).write_to(tmp_path / "elsewhere")
    (wheels / outside.name).unlink(missing_ok=True)
    STRAYS[stray](wheels / outside.name, outside)
    found = adopted(publish, wheels, "-d", str(tmp_path / "out"))
    (why,) = [each["why"] for each in found["left"] if each["file"] == outside.name]
    assert why.startswith("it cannot be read: ")
    assert outside.name not in found["kept"]
    assert outside.stat().st_nlink == 1
    assert len(list((tmp_path / "out").iterdir())) == len(found["written"])


@pytest.mark.linux
def test_a_link_within_the_folder_is_adopted(
    publish: Publisher, wheels: Path, tmp_path: Path
) -> None:
    """As ``wheel-variants index`` offers it; what is written is no link."""
    name = f"torch-2.8.0+cu128-{TAG}.whl"
    (wheels / name).rename(wheels / "stored")
    (wheels / name).symlink_to("stored")
    plain = make_wheel("torch", "2.8.0").write_to(wheels)
    plain.rename(wheels / "plain")
    plain.symlink_to("plain")
    found = adopted(publish, wheels, "-d", str(tmp_path / "out"))
    assert name in [each["file"] for each in found["adopted"]]
    assert found["kept"] == [plain.name]
    assert not any(each.is_symlink() for each in (tmp_path / "out").iterdir())


@pytest.mark.linux
def test_what_is_written_replaces_a_link(
    publish: Publisher, wheels: Path, tmp_path: Path
) -> None:
    out, outside = tmp_path / "out", tmp_path / "outside"
    first = adopted(publish, wheels, "-d", str(out))["written"]
    outside.write_bytes(b"mine")
    for each in first:
        Path(each["path"]).unlink()
        Path(each["path"]).symlink_to(outside)
    assert adopted(publish, wheels, "-d", str(out))["written"] == first
    assert not any(each.is_symlink() for each in out.iterdir())
    assert outside.read_bytes() == b"mine"
