"""``wheel-variants adopt``: what exists becomes variants, and stays as it was."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.lib.environments import Result
from tests.lib.guides import block
from tests.lib.hosts import forced
from tests.lib.publisher import WheelCli
from tests.lib.static_server import StaticServer
from tests.lib.wheels import make_sdist, make_wheel

Pip = Callable[..., Result]

TAG = "py3-none-any"
LOCALS = ("cpu", "cu126", "cu128", "rocm6.4")


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """Return a folder with what an organization mirrors."""
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
    publish: WheelCli, folder: Path, *options: str, code: int = 0
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


def test_a_plan_writes_nothing(publish: WheelCli, wheels: Path, tmp_path: Path) -> None:
    before = digests(wheels)
    result = publish("adopt", str(wheels))
    assert (
        "torch-2.8.0+cu128-py3-none-any.whl\n"
        "  becomes torch-2.8.0-py3-none-any-cu128.whl\n"
        "  needs cuda_toolkit :: version :: 12.8, "
        "nvidia :: cuda_version_lower_bound :: 12.0 (cu128: CUDA 12)\n"
    ) in result.stdout
    assert (
        "torch 2.8.0: cu126 and cu128 run on the same machines, so installers always "
        "choose cu128.\n"
    ) in result.stdout
    assert digests(wheels) == before
    assert "To write the variants, add --output-dir DIR." in result.stdout
    publish("adopt", wheels, "-d", tmp_path / "out")
    assert digests(wheels) == before
    assert len(list((tmp_path / "out").glob("*.whl"))) == 2 * len(LOCALS)


@pytest.mark.parametrize(
    ("driver", "label"), [("12.8", "cu128"), ("11.8", "cpu"), (None, "cpu")], ids=str
)
def test_adopted_indexed_and_installed(
    pip: Pip,
    publish: WheelCli,
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


def test_the_guide(pip: Pip, publish: WheelCli, wheels: Path, tmp_path: Path) -> None:
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


def test_one_folder_after_the_other(publish: WheelCli, tmp_path: Path) -> None:
    """What is there already decides which namespace comes first."""
    out = tmp_path / "out"
    for number, local in enumerate(("cpu", "rocm6.4", "cu128", "pt28cu126")):
        folder = tmp_path / f"mirror{number}"
        folder.mkdir()
        make_wheel("torch", f"2.8.0+{local}").write_to(folder)
        # A mirror that has grown: its wheels are adopted again.
        make_wheel("torch", "2.8.0+cpu").write_to(folder)
        publish("adopt", str(folder), "-d", str(out))
    result = publish("index", str(out))
    assert "torch 2.8.0: 4 variants" in result.stdout


def test_what_the_user_says(publish: WheelCli, tmp_path: Path) -> None:
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
    assert left["why"].startswith("namespace 'npu' has no provider")


def test_twins(pip: Pip, publish: WheelCli, tmp_path: Path) -> None:
    """What they require of each other has the new names too."""
    folder, out = tmp_path / "mirror", tmp_path / "out"
    folder.mkdir()
    twins = []
    for name, needs in (
        ("x-cuda12x", "numpy; platform_system ~= 'Linux'"),
        ("x-cuda13x", "y_cu13[all]==1.0 ; os_name != 'nt'"),
        ("y-cu12", "nvidia-cublas-cu12"),
        ("y-cu13", "cuda-toolkit==13.*"),
    ):
        make_wheel(name, "1.0", requires=[needs]).write_to(folder)
        twins += ["--twin", f"{name}={name[0]}"]
    make_wheel("y", "1.0").write_to(folder)
    make_wheel("reader", "1.0", requires=["y_cu12>=1"]).write_to(folder)
    assert adopted(publish, folder, code=1)["adopted"] == []
    found = adopted(publish, folder, *twins, "-d", str(out))
    bounds = {each["label"]: each["properties"] for each in found["adopted"]}
    assert bounds == {
        f"{name}{major}{x}": [f"nvidia :: cuda_version_lower_bound :: {major}.0"]
        for name, x in (("cuda", "x"), ("cu", ""))
        for major in (12, 13)
    }
    reader = {"file": f"reader-1.0-{TAG}.whl", "requires": "y_cu12>=1"}
    assert found["requiring"] == [reader]
    assert found["kept"] == [f"y-1.0-{TAG}.whl"]
    metadata = text_of(out / f"x-1.0-{TAG}-cuda13x.whl", "METADATA")
    assert "Name: x\n" in metadata
    assert "Requires-Dist: y[all]==1.0 ; os_name != 'nt'\n" in metadata
    publish("index", str(out))
    install = ["install", "y", "--no-deps", "--no-index", "-f", str(out)]
    assert "y-1.0 (cu12)" in pip(*install, env=forced("12.8")).stdout
    # One label means the same on each platform.
    for platform, cuda_major in ("linux_x86_64", 12), ("win_amd64", 13):
        requires = [f"cuda-toolkit=={cuda_major}.*"]
        tag = f"py3-none-{platform}"
        wheel = make_wheel("w-gpu", "1.0", tag=tag, requires=requires)
        wheel.write_to(folder)
    left = adopted(publish, folder, *twins, "--twin", "w-gpu=w")["left"]
    assert "gets the same label but has other properties" in str(left)
    # What nothing proves gets advice for its own CUDA.
    make_wheel("z", "1.0+cu130.dev").write_to(folder)
    left = {x["file"]: x["why"] for x in adopted(publish, folder, *twins)["left"]}
    assert left[f"z-1.0+cu130.dev-{TAG}.whl"].endswith(
        'cuda_version_lower_bound :: 13.0"]'
    )


def test_one_wheel(publish: WheelCli, wheels: Path, tmp_path: Path) -> None:
    """Alone, and one of which the name alone has a local version."""
    wheel = wheels / f"torch-2.8.0+cu128-{TAG}.whl"
    build = ["build", str(wheel), "--label", "cu128", "--drop-local"]
    needs = ["--property", "nvidia :: cuda_version_lower_bound :: 12.0"]
    result = publish(*build, *needs, "-d", str(tmp_path / "out"))
    built = tmp_path / "out" / f"torch-2.8.0-{TAG}-cu128.whl"
    assert result.stdout == f"Built {built}\n"
    assert "Version: 2.8.0\n" in text_of(built, "METADATA")
    folder, out = tmp_path / "renamed", tmp_path / "adopted"
    folder.mkdir()
    name = f"lib-1.0+cu12torch2.9-{TAG}.whl"
    make_wheel("lib", "1.0", filename=name).write_to(folder)
    adopted(publish, folder, "-d", str(out))
    wheel = out / f"lib-1.0-{TAG}-cu12torch2.9.whl"
    assert "Version: 1.0\n" in text_of(wheel, "METADATA")
    assert " 0 errors" in publish("check", str(wheel)).stdout


def test_the_snippet_names_gpus(pip: Pip, publish: WheelCli, tmp_path: Path) -> None:
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


def test_what_a_wheel_says(publish: WheelCli, wheels: Path, tmp_path: Path) -> None:
    name = "torch-2.8.0+cu128-py3-none-any.whl"
    (wheels / f"{name}.publish.attestation").write_text("{}")
    with ZipFile(wheels / name, "a") as archive:
        archive.writestr("torch-2.8.0+cu128.dist-info/RECORD.jws", b"{}")
    requires = ["torch==2.8+cu128", "numpy"]
    make_wheel("user", "1.0", requires=requires).write_to(wheels)
    out = tmp_path / "out"
    found = adopted(publish, wheels, "--cpu-as-null", "-d", str(out))
    written = {Path(each["path"]).name: each["sha256"] for each in found["written"]}
    assert written == digests(out)
    assert "torch-2.8.0-py3-none-any-null.whl" in written
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
    # What does not hold any longer.
    user = {"file": "user-1.0-py3-none-any.whl", "requires": "torch==2.8+cu128"}
    assert found["requiring"] == [user]
    (dropped,) = (each["dropped"] for each in found["adopted"] if each["dropped"])
    assert dropped == ["the signature RECORD.jws", f"{name}.publish.attestation"]
    with ZipFile(out / "torch-2.8.0-py3-none-any-cu128.whl") as archive:
        assert not [each for each in archive.namelist() if "jws" in each]
    # The same again gives the same.
    assert adopted(publish, wheels, "--cpu-as-null", "-d", str(out)) == found


def with_metadata(folder: Path, name: str, metadata: str) -> None:
    """Write a wheel of *name* 1.0+cu128 whose metadata says something else."""
    wheel = make_wheel(name, "1.0+cu128")
    with (
        ZipFile(BytesIO(wheel.content)) as old,
        ZipFile(folder / wheel.filename, "w") as new,
    ):
        for info in old.infolist():
            is_it = info.filename.endswith("/METADATA")
            content = f"Metadata-Version: 2.1\n{metadata}".encode()
            new.writestr(info, content if is_it else old.read(info))


def test_what_is_left_alone(publish: WheelCli, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    folder.mkdir()
    make_wheel("torch", "2.8.0+xpu").write_to(folder)
    make_wheel("torch", "2.8.0+cu128", label="cu128").write_to(folder)
    make_wheel("numpy", "2.0").write_to(folder)
    make_sdist("source", "1.0").write_to(folder)
    (folder / "torch-2.8.0+cu128-py3-none-any.whl").write_bytes(b"PK")
    (folder / "notes.txt").write_text("x")
    files = {"clash-1.0.data/data/x": "1", "clash-1.0+cu128.data/data/x": "2"}
    make_wheel("clash", "1.0+cu128", files=files).write_to(folder)
    with_metadata(folder, "folded", "Name: folded\nVersion:\n 1.0+cu128\n")
    with_metadata(folder, "another", "Name: other\nVersion: 1.0+cu128\n")
    with_metadata(folder, "versionless", "Name: versionless\n")
    found = adopted(publish, folder, "-d", str(tmp_path / "out"), code=1)
    whys = {
        "torch-2.8.0+xpu": "the requirements of local version 'xpu' are unknown",
        "torch-2.8.0+cu128-py3-none-any-cu128": "already a variant, with the label 'cu128'",
        "numpy-2.0": "a plain wheel without variants of the same release",
        "torch-2.8.0+cu128-py3-none-any.whl": "not a zip archive",
        "source-1.0.tar.gz": "not a wheel",
        "notes.txt": "not a wheel",
        "clash-1.0+cu128": "the wheel already contains the folder clash-1.0.data",
        "folded-1.0+cu128": "spans several lines",
        "another-1.0+cu128": "differs from the file name",
        "versionless-1.0+cu128": "differs from the file name",
    }
    assert len(found["left"]) == len(whys)
    for name, why in whys.items():
        assert any(
            each["file"].startswith(name) and why in each["why"]
            for each in found["left"]
        ), name
    assert not (tmp_path / "out").exists()


def test_others_are_adopted(publish: WheelCli, wheels: Path, tmp_path: Path) -> None:
    """What is damaged is known at once, or when it is read; no two become one."""
    name = "bad-1.0+cu128-py3-none-any.whl"
    make_wheel("bad", "1.0+cu128").write_to(wheels)
    content = bytearray((wheels / name).read_bytes())
    place = content.index(b"bad/__init__.py") + len(b"bad/__init__.py") + 5
    content[place] ^= 1
    (wheels / name).write_bytes(content)
    make_wheel("my-lib", "1.0+cu128").write_to(wheels)
    make_wheel("my_lib_gpu", "1.0+cu128").write_to(wheels)
    out = tmp_path / "out"
    twin = ["--twin", "my-lib-gpu=my-lib"]
    found = adopted(publish, wheels, *twin, "-d", str(out), code=1)
    left = {each["file"]: each["why"] for each in found["left"]}
    assert "damaged" in left[name] or "cannot read" in left[name]
    same = "my_lib-1.0+cu128-py3-none-any.whl also becomes"
    assert left["my_lib_gpu-1.0+cu128-py3-none-any.whl"].startswith(same)
    assert len(list(out.glob("torch*.whl"))) == 2 * len(LOCALS)
    assert len(list(out.glob("my_lib*"))) == 1
    assert not list(out.glob("bad*"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing-there"], "No such file"),
        ([], "either DIR or --release-listing"),
        (["--release-listing", "x", "--twin", "a=b"], "cannot be renamed"),
        (["MIRROR", "-d", "MIRROR"], "is the folder of the wheels"),
        (["MIRROR", "--pyproject", "none.toml"], "cannot read"),
        (["MIRROR", "-d", "new", "--pyproject", "npu.toml"], "npu"),
        (["MIRROR", "--twin", "a=b", "--twin", "b=c"], "cannot be both a twin and a"),
        (["MIRROR", "--twin", "a=b", "--twin", "a=c"], "two projects: 'b' and 'c'"),
    ],
    ids=str,
)
def test_wrong_use(
    publish: WheelCli, wheels: Path, tmp_path: Path, arguments: Sequence[str], said: str
) -> None:
    (tmp_path / "npu.toml").write_text(
        '[variant.providers.npu]\nrequires = "npu-provider"\n'
        '[variant.properties]\nb2 = ["npu :: kind :: b2"]\n'
    )
    make_wheel("npulib", "1.0+b2").write_to(wheels)
    before = digests(wheels)
    words = [word.replace("MIRROR", str(wheels)) for word in arguments]
    result = publish("adopt", *words, code=None, cwd=tmp_path)
    assert result.returncode in (1, 2)
    assert said in result.stderr
    assert digests(wheels) == before


#: By name: what stands in the place of a wheel and must be neither read nor linked to.
STRAYS: dict[str, Callable[[Path, Path], None]] = {
    "a link that leads out": lambda path, outside: path.symlink_to(outside),
    "a link to a device": lambda path, _: path.symlink_to("/dev/zero"),
    "a pipe": lambda path, _: os.mkfifo(path),
}


@pytest.mark.linux
@pytest.mark.parametrize("version", ["2.8.0+cu128", "2.8.0"], ids=["adopted", "kept"])
@pytest.mark.parametrize("stray", STRAYS)
def test_only_files_of_the_folder_are_adopted(
    publish: WheelCli, wheels: Path, tmp_path: Path, stray: str, version: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    outside = make_wheel("torch", version).write_to(tmp_path / "elsewhere")
    (wheels / outside.name).unlink(missing_ok=True)
    STRAYS[stray](wheels / outside.name, outside)
    found = adopted(publish, wheels, "-d", str(tmp_path / "out"), code=1)
    (why,) = [each["why"] for each in found["left"] if each["file"] == outside.name]
    assert why.startswith("cannot read the file: ")
    assert outside.name not in found["kept"]
    assert outside.stat().st_nlink == 1
    assert len(list((tmp_path / "out").iterdir())) == len(found["written"])


@pytest.mark.linux
def test_links_are_replaced(publish: WheelCli, wheels: Path, tmp_path: Path) -> None:
    """Neither what a link within the folder leads to, nor what replaces a link."""
    name = f"torch-2.8.0+cu128-{TAG}.whl"
    (wheels / name).rename(wheels / "stored")
    (wheels / name).symlink_to("stored")
    plain = make_wheel("torch", "2.8.0").write_to(wheels)
    plain.rename(wheels / "plain")
    plain.symlink_to("plain")
    out, outside = tmp_path / "out", tmp_path / "outside"
    found = adopted(publish, wheels, "-d", str(out))
    assert name in [each["file"] for each in found["adopted"]]
    assert found["kept"] == [plain.name]
    assert not any(each.is_symlink() for each in out.iterdir())
    outside.write_bytes(b"mine")
    for each in found["written"]:
        Path(each["path"]).unlink()
        Path(each["path"]).symlink_to(outside)
    again = adopted(publish, wheels, "-d", str(out))
    assert again["written"] == found["written"]
    assert not any(each.is_symlink() for each in out.iterdir())
    assert outside.read_bytes() == b"mine"
