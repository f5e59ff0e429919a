"""The command line: its form, its exit statuses, and its terminal output."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.lib.publisher import WheelCli
from tests.lib.terminals import screen
from tests.lib.wheels import make_wheel
from wheel_variants.publish import output
from wheel_variants.publish.cli import COMMANDS
from wheel_variants.publish.commands import index

TERMINAL = {"TERM": "xterm-256color", "COLUMNS": "100"}
RED = "\x1b[1;31m"
SOURCE = Path(output.__file__).parents[2]


@pytest.fixture
def publish(tmp_path: Path) -> WheelCli:
    """Return a function that runs ``wheel-variants``."""
    return WheelCli(tmp_path / "home", tmp_path / "work")


def process(*arguments: str) -> list[str]:
    """Return a command that runs ``wheel-variants`` from the source."""
    path = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); "
    run = "import runpy; runpy.run_module('wheel_variants', run_name='__main__')"
    return [sys.executable, "-c", path + run, *arguments]


def plain(text: str) -> str:
    """Return text without its escapes."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", text)


def test_help(publish: WheelCli) -> None:
    text = publish("--help").stdout
    for name in COMMANDS:
        assert re.search(rf"^    {name} ", text, re.MULTILINE)
        assert f"usage: wheel-variants {name}" in publish(name, "--help").stdout
    assert publish("--version").stdout.startswith("wheel-variants ")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["nonsense"], "invalid choice: 'nonsense'"),
        (["index", "a", "b"], "unrecognized arguments: b"),
        (["index", "a", "--simpl"], "unrecognized arguments: --simpl"),
    ],
)
def test_wrong_arguments(publish: WheelCli, arguments: list[str], problem: str) -> None:
    assert problem in publish(*arguments, code=2).stderr


def test_how_much_is_written(publish: WheelCli) -> None:
    publish.work.mkdir()
    make_wheel("demo", "1.0").write_to(publish.work)
    build = ["build", "demo-1.0-py3-none-any.whl", "--label", "a", "-d", "dist"]
    build += ["--property", "x86_64 :: leve :: v3"]
    (publish.work / "dist").mkdir()
    broken = publish.work / "dist" / "demo-1.0-py3-none-any-b.whl"
    broken.write_bytes(b"PK")
    usual, quiet, silent = (publish(*build, *w) for w in ([], ["-q"], ["-qq"]))
    assert usual.stdout == "Built dist/demo-1.0-py3-none-any-a.whl\n"
    assert "warning: No machine supports" in usual.stderr
    assert (quiet.stdout, quiet.stderr) == ("", usual.stderr)
    assert (silent.stdout, silent.stderr) == ("", "")
    assert f"debug: Ignoring {broken.name}" in publish(*build, "-v").stderr
    # A user who asks for a document gets it.
    assert publish(*build, "-qq", "--json").stdout.startswith("{")


def test_colors(publish: WheelCli) -> None:
    dist = publish.work / "dist"
    dist.mkdir(parents=True)
    for label in ("a", "b"):
        make_wheel("demo", "1.0", label=label, variant_json=b"{").write_to(dist)
    shown = publish("check", "dist", env=TERMINAL, terminal=True, code=1).stdout
    assert f"{RED}  error:" in shown
    for words, env in ((["--no-color"], {}), ([], {"NO_COLOR": "1"})):
        variables = {**TERMINAL, **env}
        result = publish("check", "dist", *words, env=variables, terminal=True, code=1)
        assert RED not in result.stdout
    elsewhere = publish("check", "dist", env=TERMINAL, code=1)
    assert "\x1b" not in elsewhere.stdout
    assert set(elsewhere.lines) <= set(plain(shown).splitlines())


def test_build_shows_its_progress(publish: WheelCli) -> None:
    publish.work.mkdir()
    wheel = make_wheel("demo", "1.0", files={"demo/data": os.urandom(1 << 20)})
    command = [
        "build",
        str(wheel.write_to(publish.work)),
        "--label",
        "v3",
        "-d",
        "dist",
    ]
    command += ["--property", "x86_64 :: level :: v3"]
    written = publish(*command, env=TERMINAL, terminal=True).stdout
    assert re.search(r" [1-9][0-9]?[0-9]?%", plain(written))
    built = "dist/demo-1.0-py3-none-any-v3.whl"
    assert screen(written) == [f"Built {built}"], "the bar is gone in the end"
    assert publish(*command, "-q", env=TERMINAL, terminal=True).stdout == ""
    assert publish(*command, env=TERMINAL).stdout == f"Built {built}\n"


def test_an_interrupt(publish: WheelCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt clears the progress bar, and prints no traceback."""

    def run(_options: object) -> int:
        for _ in output.track(["a", "b"]):
            raise KeyboardInterrupt
        return 0

    monkeypatch.setattr(index, "run", run)
    result = publish("index", "dist", env=TERMINAL, terminal=True, code=130)
    assert screen(result.stdout) == ["error: Interrupted"]


def test_names_are_shown_as_they_are(publish: WheelCli) -> None:
    dist = publish.work / "dist"
    dist.mkdir(parents=True)
    (dist / "\x1b]0;x\x07[red]y-1.0-py3-none-any.whl").write_bytes(b"")
    result = publish("check", "dist", env=TERMINAL, terminal=True, code=1)
    assert "\x1b]0;" not in result.stdout
    assert r"\x1b]0;x\x07[red]y-1.0-py3-none-any.whl" in plain(result.stdout)


def test_without_its_libraries(tmp_path: Path) -> None:
    """Zip files have no other packages beside them."""
    archive = tmp_path / "bare.zip"
    with zipfile.ZipFile(archive, "w") as bare:
        for path in SOURCE.rglob("*.py"):
            bare.write(path, str(path.relative_to(SOURCE)))
    code = f"import sys; sys.path = [{str(archive)!r}, *(p for p in sys.path if 'site-packages' not in p)]; "
    code += "from wheel_variants.publish.cli import script; sys.exit(script())"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, "index", "dist"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: wheel-variants needs the library ")
    assert "wheel_variants-*.whl" in line
    assert "[cli]" in line


def test_a_closed_pipe(tmp_path: Path) -> None:
    for version in range(2000):
        (tmp_path / f"demo-{version}-py3-none-any.whl").write_bytes(b"PK")
    running = subprocess.Popen(
        process("check", str(tmp_path)), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    running.stdout.read(1)
    running.stdout.close()
    _, errors = running.communicate()
    assert running.returncode == 1
    assert b"Traceback" not in errors


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_process_that_is_interrupted(tmp_path: Path) -> None:
    pipe = tmp_path / "pyproject.toml"
    os.mkfifo(pipe)
    running = subprocess.Popen(
        process("build", "a-1-py3-none-any.whl", "--null", "--pyproject", str(pipe)),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # A shell's background job inherits that this signal is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with pipe.open("w"):
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate()
    assert running.returncode == 130
    assert errors.decode() == "error: Interrupted\n"


@pytest.mark.parametrize(
    ("redirection", "status", "error"),
    [
        (">&-", 0, ""),
        (">&- 2>&-", 0, ""),
        (
            "> /dev/full",
            1,
            "error: Cannot write the output: No space left on device\n",
        ),
    ],
)
@pytest.mark.linux
def test_streams_that_cannot_be_written(
    redirection: str, status: int, error: str, tmp_path: Path
) -> None:
    make_wheel("demo", "1.0").write_to(tmp_path)
    for words in ([], ["--json"]):
        command = process("check", str(tmp_path), *words)
        done = subprocess.run(
            ["sh", "-c", f'"$@" {redirection}', "sh", *command],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (status, error)


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process at once")
def test_a_process_that_is_terminated(tmp_path: Path) -> None:
    """The context of a temporary folder ends, which removes the folder."""
    code = "import os, signal, sys; from wheel_variants.publish import cli, files\n"
    code += "def main():\n    with files.replacing('x'): os.kill(os.getpid(), signal.SIGTERM)\n"
    code += "cli.main = main; sys.exit(cli.script())"
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=env, check=False)
    assert done.returncode == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())
