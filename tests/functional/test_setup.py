"""``pip variants setup``: the indexes of publishers in pip's configuration."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.in_process import InProcess

Files = Mapping[str, Path]
Setup = Callable[..., Result]

#: What the table says of PyTorch, as it is written.
URL = "https://download.pytorch.org/whl/variant"
PYTORCH = f"torch,torchvision,triton-rocm,triton-xpu={URL}"
XGBOOST = "xgboost=https://wheels-variant.xgboost-ci.com"
OWN = "mine=https://user:secret@index.example/simple"
#: As users have it, whose configuration is read.
UNSET: Mapping[str, str | None] = {"PIP_CONFIG_FILE": None}


@pytest.fixture
def files(venv: Environment) -> Files:
    """Return the files of configuration, none of which is there."""
    name = "pip.ini" if os.name == "nt" else "pip.conf"
    return {
        "site": venv.venv / name,
        "user": venv.home / "config" / "pip" / name,
        "variable": venv.work / "own.conf",
    }


@pytest.fixture
def setup(venv: Environment, files: Files) -> Setup:
    """Return a function that runs ``pip variants setup``."""
    unset = {**UNSET, "XDG_CONFIG_HOME": str(files["user"].parents[1])}

    def run(
        *arguments: str, env: Mapping[str, str | None] | None = None, code: int = 0
    ) -> Result:
        given = {**unset, **(env or {})}
        return venv.pip("variants", "setup", *arguments, env=given, code=code)

    return run


def configure(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def value(path: Path) -> list[str]:
    """Return the indexes that a file has, as pip reads it."""
    lines = path.read_text(encoding="utf-8").replace("=\n", "=").splitlines()
    rows: list[str] = []
    is_in = False
    for line in lines:
        is_in = line.startswith("variant-index") or (is_in and line[:1].isspace())
        if is_in:
            rows += line.removeprefix("variant-index =").split()
    return rows


def said(result: Result) -> str:
    return result.stderr.partition("error: ")[2] or result.stderr


def test_names_are_written_once(setup: Setup, files: Files) -> None:
    result = setup("pytorch", "--yes")
    assert value(files["site"]) == [PYTORCH]
    assert result.lines[:2] == [
        "pytorch (PyTorch; listed 22 November 2026, untested)",
        "  torch, torchvision, triton-rocm, triton-xpu",
    ]
    assert result.lines[3:5] == [
        f"Section [global] of {files['site']} would contain this:",
        f"  {PYTORCH}",
    ]
    assert "To install: pip install torch" in result.lines
    assert "To undo the change: pip variants setup --remove pytorch" in result.lines
    before = files["site"].read_bytes()
    again = setup("pytorch", "--yes")
    assert f"{files['site']} already has pytorch." in again.lines
    assert "would contain" not in again.stdout
    assert files["site"].read_bytes() == before


def test_the_list_writes_nothing(setup: Setup, files: Files) -> None:
    result = setup()
    assert "pytorch (PyTorch)" in result.lines
    assert f"  {URL}" in result.lines
    assert "This list was compiled on 22 November 2026" in result.stdout
    assert not any(path.exists() for path in files.values())
    setup("--yes", "xgboost")
    assert "xgboost (XGBoost), set up" in setup().lines
    assert "  Source: dev-discuss.pytorch.org, thread 3305." in setup("-v").lines
    note = "No variants of torchaudio are known there: it comes from the default index."
    assert f"  {note}" in setup().lines


def test_nobody_to_ask(setup: Setup, files: Files) -> None:
    # These variables are for other commands.
    env = {"PIP_YES": "1", "PIP_USER": "1"}
    result = setup("--site", "pytorch", code=1, env=env)
    assert said(result) == (
        "ERROR: pip wrote nothing, because pip cannot ask for confirmation here. To "
        "confirm: pip variants setup pytorch --yes --site\n"
    )
    assert said(setup("--quiet", "pytorch", code=1)).startswith(
        "ERROR: pip wrote nothing"
    )
    assert not files["site"].exists()


class Typed(StringIO):
    """What a user types on a terminal."""

    def isatty(self) -> bool:
        """Answer that there is one."""
        return True


@pytest.fixture
def answer(
    venv: Environment | InProcess, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Return what runs ``pip variants setup`` with a user, who types the first argument.

    With a separate process, on a pseudo-terminal.
    """

    def run(typed: str, *arguments: str, code: int) -> None:
        if isinstance(venv, InProcess):
            monkeypatch.setattr(sys, "stdin", Typed(typed))
            setup(*arguments, code=code)
            return
        import pty

        main, side = pty.openpty()
        os.write(main, typed.encode() or b"\x04")
        words = [str(venv.python), "-m", "pip", "variants", "setup", *arguments]
        environ = {k: v for k, v in venv.environ().items() if k != "PIP_CONFIG_FILE"}
        ended = subprocess.run(words, stdin=side, env=environ, check=False)
        os.close(side)
        os.close(main)
        assert ended.returncode == code

    return run


@pytest.mark.skipif(os.name == "nt", reason="terminals are those of POSIX")
@pytest.mark.parametrize(
    ("arguments", "typed", "code", "written"),
    [
        (["pytorch"], "y\n", 0, [PYTORCH]),
        (["pytorch", "xgboost"], "YES\n", 0, [PYTORCH, XGBOOST]),
        (["pytorch"], "\n", 1, None),
        (["pytorch", "--no-input"], "y\n", 1, None),
    ],
    ids=["yes", "two", "default", "no input"],
)
def test_what_a_user_answers(
    answer: Callable[..., None],
    files: Files,
    arguments: list[str],
    typed: str,
    code: int,
    written: list[str] | None,
) -> None:
    answer(typed, *arguments, code=code)
    found = value(files["site"]) if files["site"].exists() else None
    assert found == written


def test_a_mirror(setup: Setup, files: Files) -> None:
    mirror = "https://u:secret@mirror.example/whl/variant"
    remove = "pip variants setup --remove pytorch --url"
    undo = f"{remove} https://mirror.example/whl/variant"
    result = setup("pytorch", "--url", f"{mirror}/", "--yes")
    assert value(files["site"]) == [PYTORCH.replace(URL, mirror)]
    assert "=https://u:****@mirror.example/whl/variant" in result.stdout
    assert f"To undo the change: {undo}" in result.lines
    assert "secret" not in result.output
    again = setup("pytorch", "--url", mirror.replace("u:secret@", ""), "--yes")
    assert f"{files['site']} already has pytorch." in again.lines
    assert "pytorch (PyTorch)" in setup().lines
    result = setup("pytorch", "--yes", code=1)
    assert result.stderr.endswith(f"hint: To use another index, first run: {undo}\n")
    # A new token replaces the old one.
    mirror = mirror.replace("secret", "new")
    setup("pytorch", "--url", mirror, "--yes")
    assert value(files["site"]) == [PYTORCH.replace(URL, mirror)]
    setup(*undo.split()[3:], "--yes")
    assert value(files["site"]) == []


def test_what_the_user_wrote_stays(setup: Setup, files: Files) -> None:
    text = f"[global]\ntimeout = 7\nvariant-index = {OWN}\n\n[install]\nuser = no\n"
    configure(files["site"], f"{text} # Mine\n")
    result = setup("pytorch", "xgboost", "--yes")
    assert f"Comments in {files['site']} would be lost." in result.lines
    assert value(files["site"]) == [OWN, PYTORCH, XGBOOST]
    assert "secret" not in result.stdout + result.stderr
    setup("--remove", "pytorch", "xgboost", "--yes")
    assert files["site"].read_text(encoding="utf-8").split() == text.split()
    result = setup("--remove", "pytorch", "--yes")
    assert result.lines == [f"{files['site']} lacks pytorch."]


def test_part_of_an_index(setup: Setup, files: Files) -> None:
    configure(files["site"], f"[global]\nvariant-index = torch,Mine={URL}/ {XGBOOST}\n")
    setup("pytorch", "--yes")
    lacking = f"torchvision,triton-rocm,triton-xpu={URL}"
    assert value(files["site"]) == [f"torch,mine={URL}", XGBOOST, lacking]
    # What the user takes from there besides stays.
    setup("pytorch", "--remove", "--yes")
    assert value(files["site"]) == [f"mine={URL}", XGBOOST]


def test_a_project_that_comes_from_elsewhere(setup: Setup, files: Files) -> None:
    own = "[global]\nvariant-index = torch=https://u:p@a.example/s\n"
    configure(files["site"], own)
    result = setup("pytorch", "--yes", code=1)
    assert said(result) == (
        "index-taken\n"
        "\n"
        "× 'torch' comes from https://a.example/s.\n"
        "╰─> A project can come from only one index.\n"
        "\n"
        "hint: To use another index, first run: pip variants setup --remove pytorch --url "
        "https://a.example/s\n"
    )
    hint = said(result).splitlines()[-1]
    setup(*hint.split()[-4:], "--yes")
    assert value(files["site"]) == []


def test_which_file(setup: Setup, files: Files) -> None:
    configure(files["user"], f"[global]\nvariant-index = {OWN}\n")
    other = "torch=http://127.0.0.1:9"
    configure(files["site"], f"[global]\nvariant-index = {other}\n")
    assert setup("pytorch", "--yes", "--user").stderr == (
        "WARNING: Another file or variable takes precedence and names another index "
        "for projects of pytorch\n"
    )
    assert value(files["user"]) == [OWN, PYTORCH]


def test_what_is_proposed_is_for_the_file_that_was_named(
    setup: Setup, files: Files
) -> None:
    undo = "pip variants setup --remove pytorch --user"
    assert f"To undo the change: {undo}" in setup("--yes", "--user", "pytorch").lines
    result = setup("--user", "xgboost", code=1)
    assert result.stderr.endswith(": pip variants setup xgboost --yes --user\n")
    assert setup("--user").lines[-1].endswith(": pip variants setup NAME --user")
    result = setup("--remove", "--user", "pytorch", code=1)
    again = "pip variants setup pytorch --yes --remove --user\n"
    assert result.stderr.endswith(again)
    setup(*again.split()[3:])
    assert value(files["user"]) == []


def test_a_broken_value(setup: Setup, files: Files) -> None:
    text = "[global]\nvariant-index = garbage\n"
    configure(files["site"], text)
    result = setup("--yes", "pytorch", code=1)
    assert "× The configuration cannot be used." in result.stderr
    result = setup(env={"PIP_VARIANT_INDEX": "garbage"}, code=1)
    assert "no '=' in 'garbage', expected PROJECT[,PROJECT...]=URL" in result.stderr
    assert result.stderr.endswith("hint: To find that setting: pip config debug\n")
    assert files["site"].read_text(encoding="utf-8") == text


def test_a_broken_value_with_a_password(setup: Setup, files: Files) -> None:
    text = "mine=https://u:secret@[a.example/s"
    configure(files["site"], f"[global]\nvariant-index = {PYTORCH} {text}\n")
    assert "secret" not in setup("--json", code=1).output
    assert "secret" not in setup("--yes", "--remove", "pytorch", code=1).output


def test_the_file_of_the_variable(setup: Setup, files: Files) -> None:
    env = {"PIP_CONFIG_FILE": str(configure(files["variable"], ""))}
    setup("pytorch", "--yes", env=env)
    assert value(files["variable"]) == [PYTORCH]
    assert not files["site"].exists()
    off = {"PIP_CONFIG_FILE": os.devnull}
    result = setup("pytorch", "--yes", "--site", env=off, code=1)
    assert result.stderr.endswith(
        f"╰─> PIP_CONFIG_FILE is {os.devnull}, so pip reads no configuration.\n\n"
        "hint: Remove that variable.\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="permissions are those of POSIX")
def test_a_file_stays_what_it_was(setup: Setup, files: Files) -> None:
    # As where a repository has the files of a home.
    real = configure(files["variable"], f"[global]\nvariant-index = {OWN}\n")
    real.chmod(0o600)
    files["site"].symlink_to(real)
    setup("pytorch", "--yes")
    assert files["site"].is_symlink()
    assert value(real) == [OWN, PYTORCH]
    assert real.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in real.parent.glob(".*.tmp")] == []


UNKNOWN = (
    "ERROR: pip knows no publisher 'pytroch'. Did you mean 'pytorch'? Known publishers: "
    "pytorch, pytorch-test, wheelnext, quansight, xgboost, ascend. For any other "
    "index, add PROJECT[,PROJECT...]=URL to variant-index, in section [global]: pip "
    "config edit"
)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["pytroch"], UNKNOWN),
        (["--remove"], "ERROR: --remove needs a name: pytorch, pytorch-test, "),
        (["pytorch", "pytorch-test"], "× Several of these publishers have 'torch'.\n"),
        (["--site", "--user", "pytorch"], "× --user contradicts --site.\n"),
        (["--url", URL], "ERROR: --url needs exactly one name of a publisher"),
    ],
    ids=["unknown", "nothing to remove", "both", "two files", "no name"],
)
def test_wrong_use(
    setup: Setup, files: Files, arguments: list[str], expected: str
) -> None:
    assert expected in setup(*arguments, "--yes", code=1).stderr
    assert not any(path.exists() for path in files.values())


def test_for_programs(setup: Setup, files: Files) -> None:
    configure(files["site"], f"[global]\nvariant-index = {OWN}\n")
    found = json.loads(setup("--json").stdout)
    assert (found["version"], found["is_written"]) == ("1", False)
    assert found["variant-index"] == ["mine=https://user:****@index.example/simple"]
    found = json.loads(setup("--json", "--yes", "pytorch").stdout)
    assert (found["file"], found["is_written"]) == (str(files["site"]), True)
    (pytorch, *others) = found["publishers"]
    assert (pytorch["name"], pytorch["url"], pytorch["is_set_up"]) == (
        *("pytorch", URL, True),
    )
    assert not any(each["is_set_up"] for each in others)
    setup("--json", "pytorch", "--remove", code=1)


@pytest.mark.scoped
def test_a_host_with_a_gpu(venv: Environment, setup: Setup) -> None:
    line = "Publishers' indexes with GPU wheels: pip variants setup"
    gpu = {**UNSET, **forced("12.8")}
    assert venv.pip("variants", "host", env=gpu).lines[-1] == line
    assert "setup" not in venv.pip("variants", "host", "--json", env=gpu).stdout
    assert "setup" not in venv.pip("variants", "host", env=UNSET).stdout
    setup("xgboost", "--yes")
    assert "setup" not in venv.pip("variants", "host", env=gpu).stdout
