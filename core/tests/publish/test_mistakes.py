"""Mistakes of publishers are refused or warned of, never ignored."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.lib.index import IndexServer
from tests.lib.publisher import WheelCli
from tests.lib.wheels import make_wheel

PLAIN = "demo-1.0-py3-none-any.whl"
CU128 = "demo-1.0+cu128-py3-none-any.whl"
PROPERTY = ("--property", "nvidia :: sm_arch :: 90_real")
REPLACED = "which had other content\n"


@pytest.fixture
def publish(tmp_path: Path) -> WheelCli:
    """Return a function that runs ``wheel-variants``, with a few folders of wheels."""
    for folder, version in (("cuda", "1.0+cu128"), ("rocm", "1.0+rocm6.4")):
        (tmp_path / folder).mkdir()
        make_wheel("demo", version).write_to(tmp_path / folder)
    (tmp_path / "dist").mkdir()
    make_wheel("demo", "1.0").write_to(tmp_path / "dist")
    return WheelCli(tmp_path / "home", tmp_path)


def table(publish: WheelCli, section: str, line: str) -> None:
    text = f"[variant.{section}]\n{line}\n"
    (publish.work / "pyproject.toml").write_text(text, encoding="utf-8")


def test_adopt_uses_the_stated_order_and_warns_of_another(publish: WheelCli) -> None:
    assert publish("adopt", "rocm", "-d", "out").stderr == ""
    stated = ["nvidia", "amd", "cuda_toolkit"]
    table(publish, "default-priorities", f"namespace = {stated}")
    error = publish("adopt", "cuda", "-d", "out").stderr
    assert f"rank namespaces differently: {stated} and ['amd']. No index can" in error
    # The remedy works.
    publish("adopt", "rocm", "-d", "out")
    assert publish("adopt", "cuda", "-d", "out").stderr == ""
    publish("index", "out")
    manifest = json.loads((publish.work / "out/demo-1.0-variants.json").read_bytes())
    assert manifest["default-priorities"]["namespace"] == stated


def test_adopt_compares_only_versions(publish: WheelCli) -> None:
    make_wheel("demo", "1.0+cu126").write_to(publish.work / "cuda")
    stated = {"cu126": "abc", "cu128": "12.8"}
    lines = (
        f"{each} = ['cuda_toolkit :: version :: {stated[each]}']" for each in stated
    )
    table(publish, "properties", "\n".join(lines))
    output = publish("adopt", "cuda").stdout
    assert (
        "cu126 and cu128 run on the same machines, so installers always choose cu128"
        in output
    )


def test_adopt_needs_a_provider_for_each_ranked_namespace(publish: WheelCli) -> None:
    table(publish, "default-priorities", 'namespace = ["nvidia", "blas"]')
    for options in ((), ("-d", "out")):
        error = publish("adopt", "cuda", *options, code=1).stderr
        assert f"from {CU128}: namespace 'blas' has no provider\n" in error
        assert "hint: Add [variant.providers.blas] to pyproject.toml, or" in error


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('CU128 = ["nvidia :: sm_arch :: 90_real"]', "has the invalid label 'CU128'"),
        ('cu128 = ["nvidia :: sm_arc :: 90_real"]', "has no feature 'sm_arc'"),
    ],
)
def test_mistyped_properties(publish: WheelCli, line: str, said: str) -> None:
    table(publish, "properties", line)
    code = int("invalid" in said)
    assert said in publish("adopt", "cuda", "-d", "out", code=code).stderr


def test_mistyped_names(publish: WheelCli) -> None:
    error = publish("adopt", "cuda", "--twin", "demo-gpo=demo").stderr
    assert error == (
        "warning: --twin demo-gpo=demo has no effect: no wheel of 'demo-gpo' is adopted\n"
    )
    command = ["build", f"dist/{PLAIN}", "--label", "a", *PROPERTY, "--provider"]
    warning = "No namespace is 'nvida', so its --provider has no effect"
    assert warning in publish(*command, "nvida=x").stderr
    assert warning in publish(*command, "nvida=x", "--strict", code=1).stderr


def test_files_that_index_would_refuse(publish: WheelCli) -> None:
    with zipfile.ZipFile(publish.work / "cuda" / CU128, "a") as wheel:
        wheel.writestr("demo/extra.py", "")
    problem = f"{CU128}: RECORD does not list demo/extra.py\n"
    error = publish("adopt", "cuda", "-d", "out", code=1).stderr
    assert error == f"warning: Skipped {problem}"
    command = ["build", f"cuda/{CU128}", "--drop-local", "--label", "a", *PROPERTY]
    assert problem in publish(*command, "-d", "out", code=1).stderr
    assert not (publish.work / "out").exists()


def test_a_damaged_wheel_is_not_adopted(publish: WheelCli) -> None:
    path = publish.work / "cuda" / CU128
    data = bytearray(path.read_bytes())
    # The first local header, which no list of files needs.
    data[:4] = b"xxxx"
    path.write_bytes(data)
    result = publish("adopt", "cuda", "-d", "out", code=1)
    assert f"warning: Skipped {CU128}: " in result.stderr
    assert "--output-dir" not in result.stdout
    report = json.loads(publish("adopt", "cuda", "-d", "out", "--json", code=1).stdout)
    assert report["adopted"] == []
    assert [each["file"] for each in report["left"]] == [CU128]


def test_wheels_are_not_replaced_silently(publish: WheelCli) -> None:
    for folder, name in (("site", PLAIN), ("out", "demo-1.0-py3-none-any-cu128.whl")):
        (publish.work / folder).mkdir()
        (publish.work / folder / name).write_bytes(b"other")
    publish("adopt", "cuda", "-d", "new")
    for command in (["index", "dist", "--simple", "-o", "site"], ["adopt", "cuda"]):
        output = [] if "-o" in command else ["-d", "out"]
        assert publish(*command, *output).stderr.endswith(REPLACED)
        assert publish(*command, *output).stderr == ""


def test_check_keeps_the_findings_of_other_files(publish: WheelCli) -> None:
    for name in (f"{PLAIN}.asc", f"{PLAIN}.publish.attestation"):
        (publish.work / "dist" / name).write_bytes(b"{}")
    dist = [f"dist/{each.name}" for each in (publish.work / "dist").iterdir()]
    assert publish("check", *dist).stderr == ""
    (publish.work / "dist" / PLAIN).write_bytes(b"PK")
    (publish.work / "README").touch()
    result = publish("check", "README", f"dist/{PLAIN}", "nosuch", code=1)
    assert "Not a zip archive" in result.stdout
    assert result.stderr.startswith(
        "error: Cannot use README: not a wheel or a manifest"
    )
    assert result.stderr.count("error: ") == 1
    assert publish("check", "nosuch", code=1).stdout == ""


def test_a_list_of_wheels_on_a_server(publish: WheelCli) -> None:
    """Its format may be unusual; its wheels must be sound, and new in the folder."""
    with IndexServer() as index:
        for label in ("cu126", "cu128"):
            name = f"demo-1.0+{label}-py3-none-any.whl"
            index.add(make_wheel("demo", "1.0", filename=name))
        urls = [
            index.file_url(f"demo-1.0+{x}-py3-none-any.whl") for x in ("cu126", "cu128")
        ]
        listing = publish.work / "listing"
        adopt = ["adopt", "--release-listing", "listing"]
        for text in (
            "\n".join(urls),
            "".join(f'<A\nHREF="{url}">x</A>' for url in urls),
        ):
            listing.write_text(text, encoding="utf-8-sig")
            report = json.loads(publish(*adopt, "--json").stdout)
            assert [each["label"] for each in report["adopted"]] == ["cu126", "cu128"]
        build = ["build", f"dist/{PLAIN}", "--label", "cu126", *PROPERTY, "-d", "out"]
        publish(*build)
        error = publish(*adopt, "-d", "out", code=1).stderr
        there = Path("out", "demo-1.0-py3-none-any-cu126.whl")
        assert error.startswith(f"error: {there} already exists\n")
        assert not (publish.work / "out" / "simple").exists()
        index.add(make_wheel("bad", "1.0", filename="bad-1.0+cu117-py3-none-any.whl"))
        listing.write_text(
            "\n".join([*urls, index.file_url("bad-1.0+cu117-py3-none-any.whl")])
        )
        index.fault("bad-1.0+cu117-py3-none-any.whl", body=b"PK")
        error = publish(*adopt, code=1).stderr
    assert error.startswith("warning: Skipped bad-1.0+cu117-py3-none-any.whl: ")


@pytest.mark.parametrize("value", ["inf", "1e11", "nan", "0", "-1", "x"])
def test_impossible_timeouts(publish: WheelCli, value: str) -> None:
    error = publish("check", "https://a.invalid/", "--timeout", value, code=2).stderr
    assert error.endswith(f"argument --timeout: invalid seconds value: '{value}'\n")
