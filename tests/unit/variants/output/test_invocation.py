"""What to type: the options that were typed, and nothing that is secret."""

from __future__ import annotations

import optparse
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from pip._internal.commands import create_command
from pip._internal.variants.output import invocation
from pip._internal.variants.output.invocation import (
    again,
    command,
    for_pip,
    for_upgrade,
    own_python,
)
from pip._internal.variants.settings import IN_BUILD, Settings

INDEX = "https://index.example/simple"


def options(typed: Sequence[str], name: str = "install") -> optparse.Values:
    """Return the options of a command line."""
    parsed: optparse.Values
    parsed, _ = create_command(name, isolated=True).parse_args(list(typed))
    return parsed


def after(text: str) -> str:
    """Return what follows the name of pip."""
    return text.partition("pip ")[2]


@pytest.mark.parametrize(
    ("typed", "repeated"),
    [
        ([], ""),
        (["torch", "-v", "-U", "--dry-run", "--report", "r.json"], ""),
        (["-i", INDEX], f" --index-url {INDEX}"),
        ([f"--index-url={INDEX}"], f" --index-url {INDEX}"),
        # Part of a name is enough.
        (["--extra-index", INDEX], f" --extra-index-url {INDEX}"),
        (["-f", "a b", "--no-index"], " --find-links 'a b' --no-index"),
        (["--pre", "--variant-host", "h.json"], " --pre --variant-host h.json"),
        (["--variant", "a=x", "--variant", "b=y"], " --variant a=x --variant b=y"),
        pytest.param(
            *(["--cpuonly", "--target", "t"], " --cpuonly --target t"),
            marks=pytest.mark.pytorch,
        ),
        (["-C", "token=secret", "--log", "x"], ""),
    ],
)
def test_what_was_typed_is_repeated(typed: list[str], repeated: str) -> None:
    told = command(options(typed), "install", "torch==2.8.0")
    assert after(told) == f"install torch==2.8.0{repeated}"


def test_what_is_typed_now_is_not_repeated() -> None:
    given = options(["-i", INDEX, "--variant", "x", "--no-variants"])
    told = command(given, "install", "a", "--index-url", "URL", without=["--variant"])
    assert after(told) == "install a --index-url URL --no-variants"
    told = for_upgrade(given, "--pre", "a", "b")
    assert after(told) == f"install --upgrade-variants --pre a b --index-url {INDEX}"


def test_only_what_the_other_command_has() -> None:
    given = options(
        ["--target", "t", "--no-deps", "--cert", "c", "--require-accelerator", "r"]
    )
    told = command(given, "variants", "explain", "torch")
    assert after(told) == "variants explain torch --cert c --require-accelerator r"
    assert after(command(given, "install", "a")).endswith("--no-deps --cert c")
    given = options(["explain", "a", "--json", "--platform", "p"], "variants")
    assert after(command(given, "variants", "host")) == "variants host"
    assert after(command(given, "install", "a")) == "install a --platform p"


@pytest.mark.parametrize(
    ("typed", "repeated"),
    [
        (
            ["-i", "https://u:secret@x.example"],
            "--index-url https://CREDENTIALS@x.example",
        ),
        (
            ["-f", "https://secret@x.example"],
            "--find-links https://CREDENTIALS@x.example",
        ),
        (["--proxy", "u:secret@x.example:80"], "--proxy CREDENTIALS@x.example:80"),
        (
            ["--proxy", "http://u:secret@x.example"],
            "--proxy http://CREDENTIALS@x.example",
        ),
        (["-c", "https://u:secret@x.example/c"], "https://CREDENTIALS@x.example/c"),
        (["-i", "https://u:a secret@x.example"], " https://CREDENTIALS@x.example"),
        (["--proxy", "http://u:secret@[x"], "--proxy 'http://CREDENTIALS@[x'"),
        (
            ["a @ git+https://secret@x.example/a@v1"],
            "'a @ git+https://CREDENTIALS@x.example/a@v1'",
        ),
    ],
)
def test_credentials_are_left_out(typed: list[str], repeated: str) -> None:
    """A word to replace stands there: asterisks would be sent as a password."""
    told = again(options(typed))
    assert repeated in told
    assert "secret" not in told
    assert "*" not in told


def test_the_same_command_again() -> None:
    given = options(["-r", "r.txt", "a", "-U", "--no-variants", "b>1", "-v"])
    # The file names another index.
    Settings(given).note_sources(optparse.Values({"index_url": "URL"}), [])
    told = again(given, "--extra-index-url", INDEX, without=["--no-variants"])
    assert after(told) == (
        f"install a 'b>1' --extra-index-url {INDEX} --requirement r.txt --upgrade"
    )


def test_what_says_what_to_install() -> None:
    for typed in (["--requirements-from-script", "s.py"], ["--only-deps", "a"]):
        assert set(after(again(options(typed))).split()) == {"install", *typed}


def test_of_another_python() -> None:
    """The pip that was typed runs another one, which is for that Python."""
    given = options(["--python", "the venv", "a", "--pre"])
    assert again(given, "b") == "pip --python 'the venv' install a b --pre"


def test_what_was_not_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a program makes the options itself, or pip for an internal command."""
    nothing = optparse.Values()
    assert after(command(nothing, "install", "a")) == "install a"
    assert after(again(nothing, "--pre")) == "install ... --pre"
    given = options(["a", "--prefix", "secret"])
    monkeypatch.setenv(IN_BUILD, "1")
    assert after(command(given, "install", "b")) == "install b"
    assert after(again(given)) == "install ..."


def test_to_replace_pip_it_looks_where_the_running_one_does() -> None:
    typed = ["-i", INDEX, "--target", "t", "--pre", "--variant", "x", "--user", "torch"]
    told = for_pip(options(typed), "install", "--upgrade", "pip")
    assert after(told) == f"install --upgrade pip --index-url {INDEX}"


def test_a_program_that_runs_is_not_replaced_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(invocation, "WINDOWS", True)
    for told in (
        for_pip(options([]), "install", "--upgrade", "pip"),
        command(options([]), "install", "pip===1", is_own=True),
    ):
        assert told.startswith(f"{own_python()} -m pip install ")


def test_the_python_is_quoted_for_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        invocation.entrypoints,
        "get_best_invocation_for_this_python",
        lambda: "/a b/python",
    )
    assert own_python() == "'/a b/python'"


def test_a_pip_of_the_users_own_is_replaced_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = SimpleNamespace(get_distribution=lambda _: SimpleNamespace(in_usersite=True))
    monkeypatch.setattr(invocation, "get_default_environment", lambda: own)
    told = for_pip(options(["-i", INDEX]), "install", "--upgrade", "pip")
    assert after(told) == f"install --upgrade pip --user --index-url {INDEX}"
