"""What is said where something can be done about it: word by word, and how it is wrapped.

Each message is shown on terminals of three widths and elsewhere; the files in
``tests/data/messages`` hold what is to be seen there.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.hosts import forced, write_host
from tests.lib.in_process import InProcess
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH, cuda
from tests.lib.pytorch_index import PyTorchIndexServer
from tests.lib.terminals import run_pip, shown
from tests.lib.wheels import make_wheel

DATA = Path(__file__).resolve().parents[1] / "data" / "messages"
#: Widths of terminals; None for what is none.
WIDTHS = (60, 80, 100, None)

GPU = forced("12.8")
V2, V3 = (f"x86_64 :: level :: {value}" for value in ("v2", "v3"))
#: The modes that have cases of their own, with their names.
MODES = ("pytorch", "scoped")
#: Further cases in which an option of a mode is seen.
SHOWING = {"help": "scoped"}
#: How lines begin that upstream writes.
UPSTREAM = (
    *("Looking in ", "Requirement already", "  Downloading ", "ERROR: "),
    *("Collecting ", "Would install ", "The conflict ", "Additionally, "),
    "[notice] ",
    "2. remove package versions",
)


@dataclass(frozen=True, slots=True)
class Case:
    """A command, and what comes before it.

    :param typed: with ``INDEX``, ``BARE`` and ``WHL`` for the indexes: one with variants,
        one with nothing but plain wheels, and PyTorch's.
    :param before: commands that are run first.
    """

    typed: str
    code: int = 0
    env: Mapping[str, str | None] = field(default_factory=dict)
    before: Sequence[str] = ()


CASES: Mapping[str, Case] = {
    "upstreams-pip": Case("install pip<26.3 -i INDEX", 1),
    "notice-of-newer-pips": Case(
        "install --dry-run filelock -i INDEX --extra-index-url OTHER",
        env={"PIP_DISABLE_PIP_VERSION_CHECK": None},
    ),
    "better-build": Case(
        "install levels --variant-host cpu-x86_64-v3 -i INDEX --pre",
        before=["install levels --variant-host cpu-x86_64-v2 -i INDEX"],
    ),
    "nothing-fits": Case("install only --variant-host cpu-x86_64-v3 -i INDEX", 1),
    "variants-off": Case("install only --no-variants --no-deps -i INDEX", 1),
    "dependency-not-listed": Case("install needs -i AUTH", 1, env=GPU),
    "pytorch-refused": Case(
        "install torch --cpuonly --pytorch-index-url http://127.0.0.1:9/whl --retries 0",
        1,
    ),
    "pytorch-without-index": Case(
        "install torch --pytorch-computation-backend cu118 --no-index -f dist", 1
    ),
    "pytorch-conflict": Case(
        "install torch==2.8.0 torchvision==0.24.0 --cpuonly -i BARE --pytorch-index-url WHL",
        1,
    ),
    "scoped-missing": Case(
        "install only --variant-index new,only=BARE -i INDEX --trusted-host example.org",
        1,
    ),
    "chosen": Case("install --dry-run torch -i INDEX", env=GPU),
    "different-cuda": Case(
        "install --dry-run old new -i INDEX --prefer-variant nvidia", env=GPU
    ),
    "unsupported": Case("check", env=forced("12.6"), before=["install torch -i INDEX"]),
    "list": Case("variants list torch -i INDEX", env=GPU),
    "explain": Case("variants explain torch --variant-host cuda.json -i INDEX"),
    "host": Case("variants host --variant-host cuda.json"),
    "alone": Case("variants"),
    "help": Case("variants setup --help"),
}


#: The index that pip looks at if nobody says another one: no test has one with TLS.
USUAL_INDEX = re.compile(r"https://\S+/simple\b")


@dataclass(frozen=True, slots=True)
class Stage:
    """An environment, and the indexes that the cases name."""

    venv: Environment | InProcess
    indexes: Mapping[str, str]

    def words(self, typed: str) -> list[str]:
        """Return the words of a command."""
        parts = (word.rpartition("=") for word in typed.split())
        return [
            f"{before}{equals}{self.indexes.get(name, name)}"
            for before, equals, name in parts
        ]

    def prepare(self, case: Case) -> None:
        """Run what comes before a case."""
        for command in case.before:
            self.venv.pip(*self.words(command), env=GPU)

    def seen(self, case: Case, columns: int | None) -> str:
        """Run a case, and give what is seen of it with fixed addresses."""
        words = self.words(case.typed)
        result = run_pip(self.venv, columns, *words, code=case.code, env=case.env)
        text = shown(result, columns)
        for number, url in enumerate(self.indexes.values()):
            # As long as the real one.
            (port,) = re.findall(r":(\d{5})/", url)
            text = text.replace(port, f"{10001 + number}")
        # Of what a command can do, the rest is upstream's.
        text = re.split("\n(?:Package Index|General) Options:\n", text)[0]
        text = USUAL_INDEX.sub("USUAL-INDEX", text)
        return text.replace(str(self.venv.site_packages), "SITE-PACKAGES")


@pytest.fixture
def stage(
    venv: Environment | InProcess, make_index: Callable[[], IndexServer]
) -> Iterator[Stage]:
    """Return an environment, and indexes with a package for each case."""
    if isinstance(venv, InProcess):
        venv.show_pip()
    write_host(venv.work / "cuda.json", "cuda12.8-sm9.0")
    index, other = make_index(), make_index()
    for version in ("26.2", "26.2.1", "26.4"):
        index.add(make_wheel("pip", version))
    index.add_release("levels", "1.0", {"v2": [V2], "v3": [V3]})
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    for version, driver in ("0.9", "12.6"), ("1.0", "12.8"):
        index.add_release("only", version, {"gpu": cuda(driver)}, plain=False)
    for name, driver in ("old", "11.8"), ("new", "12.0"):
        index.add_release(name, "1.0", {"gpu": cuda(driver)}, plain=False)
    gpu, needs = {"gpu": cuda("12.8")}, ["filelock>3"]
    index.add_release("needs", "1.0", gpu, requires=needs, plain=False)
    other.add(make_wheel("filelock", "4.0"))
    other.add(make_wheel("torch", "2.9.0"))
    other.add(make_wheel("pip", "26.3+variants.0.2.0"))
    with PyTorchIndexServer() as pytorch:
        for torch, vision in ("2.8.0", "0.23.0"), ("2.9.0", "0.24.0"):
            backends, requires = ["cpu", "cu128"], [f"torch=={torch}"]
            pytorch.add_builds("torch", torch, backends)
            pytorch.add_builds("torchvision", vision, backends, requires=requires)
        pytorch.add(make_wheel("levels", "1.0"))
        dist = venv.work / "dist"
        dist.mkdir()
        make_wheel("torch", "2.8.0+cpu").write_to(dist)
        yield Stage(
            venv,
            {
                "INDEX": index.index_url,
                "AUTH": index.index_url.replace("://", "://user:secret@"),
                "OTHER": other.index_url,
                "BARE": pytorch.index_url,
                "WHL": pytorch.pytorch_url + "/",
                "MISSING": f"{index.url}/whl/",
            },
        )


@pytest.mark.skipif(os.name == "nt", reason="terminals are those of POSIX")
@pytest.mark.linux
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=[
                getattr(pytest.mark, mode)
                for mode in MODES
                if mode in name or SHOWING.get(name) == mode
            ],
        )
        for name in CASES
    ],
)
def test_message(stage: Stage, name: str, pytestconfig: pytest.Config) -> None:
    stage.prepare(CASES[name])
    seen = {columns: stage.seen(CASES[name], columns) for columns in WIDTHS}
    assert not any("secret" in text for text in seen.values())
    text = "".join(f"{title(columns)}{text}" for columns, text in seen.items())
    path = DATA / f"{name}.txt"
    if pytestconfig.getoption("--write-messages"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def to_type(stage: Stage, case: Case, after: str) -> list[str]:
    """Run a case, and give the words of the command that it says to type."""
    stage.prepare(case)
    result = stage.venv.pip(*stage.words(case.typed), code=case.code, env=case.env)
    (line,) = (line for line in result.output.splitlines() if after in line)
    pip, *words = shlex.split(line.partition(after)[2])
    assert pip == "pip"
    return words


def test_what_it_says_to_type_helps(stage: Stage) -> None:
    """Each as it stands there, for an address that is a placeholder another one."""
    venv = stage.venv
    words = to_type(stage, CASES["upstreams-pip"], "To switch to stock pip:")
    assert "Would install pip-26.2.1" in venv.pip(*words, "--dry-run").stdout
    words = to_type(
        stage, CASES["dependency-not-listed"], "To search another index too:"
    )
    words = stage.words(USUAL_INDEX.sub("OTHER", " ".join(words)))
    words = [word.replace("CREDENTIALS", "user:secret") for word in words]
    result = venv.pip(*words, "--dry-run", env=GPU)
    assert "Would install filelock-4.0 needs-1.0 (gpu)" in result.stdout
    for after in "To see what is supported:", "To see why no variant runs:":
        words = to_type(stage, CASES["nothing-fits"], after)
        assert words[0] == "variants"
        venv.pip(*words, code=1 if "explain" in words else 0)


def title(columns: int | None) -> str:
    """Return the line above what is seen."""
    where = "not on a terminal" if columns is None else f"{columns} columns"
    return f"[{where}]\n"


def parts(text: str) -> list[str]:
    """Return what is to be seen at each of the widths."""
    return re.split("|".join(re.escape(title(each)) for each in WIDTHS), text)[1:]


@pytest.mark.parametrize("name", CASES)
def test_lines_end_between_words(name: str) -> None:
    """Except those of upstream, and commands: a terminal breaks them where it must."""
    text = (DATA / f"{name}.txt").read_text(encoding="utf-8")
    for columns, part in zip(WIDTHS, parts(text), strict=True):
        for line in part.splitlines():
            is_command = line.lstrip().startswith(("pip ", "wheel-variants "))
            if columns is not None and not (is_command or line.startswith(UPSTREAM)):
                assert len(line) <= columns or len(line.split()) == 1, line
