"""Whether killed upgrades are judged and counted rightly."""

from __future__ import annotations

import importlib.util
import io
import os
import py_compile
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.lib.repository import Repository
from tools.kills.__main__ import moments
from tools.kills.clock import Clock, Usage
from tools.kills.figures import Share, chance_of_so_many, ratio
from tools.kills.packages import NEW, OLD, SIZES, fill
from tools.kills.report import Results, document, goals, tables
from tools.kills.runner import CONFIGURATIONS, Kill, Undisturbed
from tools.kills.trees import REST, Tree, read_packages, read_tree
from tools.kills.verdict import Outcome, Verdict, judge
from tools.kills.watch import Absence, Watch

#: The same digest is the same content.
REST_FILES = {"bin/activate": "shell"}
OLD_FILES = {
    "a": {"a/__init__.py": "a1", "a/data/x.bin": "same", "a-1/RECORD": "record 1"},
    "b": {"b/__init__.py": "b1", "b/gone.py": "b1", "b-1/RECORD": "record 1"},
}
NEW_FILES = {
    "a": {"a/__init__.py": "a2", "a/data/x.bin": "same", "a-2/RECORD": "record 2"},
    "b": {"b/__init__.py": "b2", "b/more/come.py": "b2", "b-2/RECORD": "record 2"},
}


def _files(*parts: Mapping[str, str]) -> dict[str, str]:
    return {
        path: digest for part in (REST_FILES, *parts) for path, digest in part.items()
    }


def _judged(
    files: Mapping[str, str], *folders: str, lying: frozenset[str] = frozenset()
) -> Verdict:
    above = {str(up) for path in files for up in Path(path).parents} - {"."}
    tree = Tree(files, frozenset({*above, *folders}), lying)
    rest = {REST: REST_FILES}
    standing = frozenset({"bin", "include"})
    return judge(tree, {**OLD_FILES, **rest}, {**NEW_FILES, **rest}, standing)


A_OLD, B_OLD, A_NEW, B_NEW = (
    files[name] for files in (OLD_FILES, NEW_FILES) for name in "ab"
)


def _without(files: Mapping[str, str], path: str) -> dict[str, str]:
    assert path in files
    return {each: digest for each, digest in files.items() if each != path}


@pytest.mark.parametrize(
    ("files", "outcome", "broken"),
    [
        (_files(A_OLD, B_OLD), Outcome.OLD, set()),
        (_files(A_NEW, B_NEW), Outcome.NEW, set()),
        (_files(A_NEW, B_OLD), Outcome.MIXED, set()),
        (_files(A_OLD, B_NEW), Outcome.MIXED, set()),
        # A file is missing, also one that both releases have.
        (_files(_without(A_NEW, "a/data/x.bin"), B_NEW), Outcome.BROKEN, {"a"}),
        (_files(A_OLD, _without(B_OLD, "b/gone.py")), Outcome.BROKEN, {"b"}),
        # No metadata, two of them, nothing at all.
        (_files(_without(A_NEW, "a-2/RECORD"), B_NEW), Outcome.BROKEN, {"a"}),
        (_files(A_NEW, {"a-1/RECORD": "record 1"}, B_NEW), Outcome.BROKEN, {"a"}),
        (_files(B_NEW), Outcome.BROKEN, {"a"}),
        # Files of both, one that was begun, and one that was changed.
        (_files(A_OLD, B_OLD, {"b/__init__.py": "b2"}), Outcome.BROKEN, {"b"}),
        (_files(A_OLD, B_OLD, {"b/more/come.py": "b2"}), Outcome.BROKEN, {"b"}),
        (_files(A_NEW, {"a/__init__.py": "half of a2"}, B_NEW), Outcome.BROKEN, {"a"}),
        # What belongs to no package.
        (_files(A_NEW, B_NEW, {"bin/activate": "?"}), Outcome.BROKEN, {REST}),
        ({**A_NEW, **B_NEW}, Outcome.BROKEN, {REST}),
        (_files(), Outcome.BROKEN, {"a", "b"}),
    ],
)
def test_an_environment_is_judged(
    files: Mapping[str, str], outcome: Outcome, broken: set[str]
) -> None:
    verdict = _judged(files)
    assert verdict.outcome is outcome
    assert set(verdict.faults) == broken
    assert {n for n, o in verdict.packages.items() if o is Outcome.BROKEN} == broken
    assert verdict.is_damaged == (outcome in (Outcome.MIXED, Outcome.BROKEN))
    assert verdict.litter == ()


def test_each_package_is_told() -> None:
    verdict = _judged(_files(A_NEW, _without(B_OLD, "b/gone.py")))
    assert verdict.packages == {"a": Outcome.NEW, "b": Outcome.BROKEN}
    assert verdict.faults == {"b": "as old: lacks b/gone.py"}


def test_bytecode_that_lies_breaks_a_package() -> None:
    lying = frozenset({"a/__init__.py"})
    verdict = _judged(_files(A_NEW, B_NEW), lying=lying)
    assert verdict.outcome is Outcome.BROKEN
    assert verdict.faults == {"a": "as new: wrong bytecode of a/__init__.py"}


def test_litter_is_what_no_release_has() -> None:
    left = {"~a/__init__.py": "a1", "~a/data/x.bin": "same", "a/data/y.tmp": "?"}
    verdict = _judged(_files(A_NEW, B_NEW, left), "~b", "b/empty/below")
    assert verdict.outcome is Outcome.NEW
    assert verdict.litter == ("b/empty/below", "~a", "~b", "a/data/y.tmp")


def test_an_empty_folder_of_the_other_release_is_litter() -> None:
    assert _judged(_files(A_OLD, B_OLD), "b/more").litter == ("b/more",)
    assert _judged(_files(A_NEW, B_NEW), "b/more").litter == ()
    # Of a package that is neither, nobody can say.
    begun = _files(A_NEW, _without(B_OLD, "b/gone.py"))
    assert _judged(begun, "b/more").litter == ()


def _read(root: Path) -> Tree:
    return read_tree(root, lambda path: path == "left_out")


def test_a_tree_is_read(tmp_path: Path) -> None:
    for path in ("p/__init__.py", "p/data/x", "left_out/y", "p/__pycache__/z.tmp"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path, encoding="utf-8")
    (tmp_path / "link").symlink_to("p")
    (tmp_path / "p/__pycache__/gone.cpython-311.pyc").write_bytes(b"of no source")
    tree = _read(tmp_path)
    assert set(tree.files) == {
        "p/__init__.py",
        "p/data/x",
        "link",
        "p/__pycache__/z.tmp",
    }
    assert tree.folders == {"p", "p/data"}
    (tmp_path / "p/data/x").write_text("else", encoding="utf-8")
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("q")
    after = _read(tmp_path)
    changed = {path for path in tree.files if tree.files[path] != after.files[path]}
    assert changed == {"p/data/x", "link"}


def _compiled(source: Path, text: str) -> Path:
    source.write_text(text, encoding="utf-8")
    py_compile.compile(str(source), doraise=True)
    return Path(importlib.util.cache_from_source(source))


def test_bytecode_lies_if_python_takes_it_for_another_source(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    bytecode = _compiled(source, "value = 1\n")
    assert not _read(tmp_path).lying
    stamp = source.stat().st_mtime_ns
    source.write_text("value = 2\n", encoding="utf-8")
    os.utime(source, ns=(stamp, stamp))
    assert _read(tmp_path).lying == {"module.py"}
    command = [sys.executable, "-c", "import module; print(module.value)"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.strip() == b"1", "Python takes it indeed"
    # Python compiles again what is of another time or size, or has no header.
    os.utime(source, ns=(stamp, stamp + 2_000_000_000))
    assert not _read(tmp_path).lying
    content = _compiled(source, "value = 3\n").read_bytes()
    bytecode.write_bytes(content[:10])
    assert not _read(tmp_path).lying
    bytecode.write_bytes(content[:-10])
    assert _read(tmp_path).lying == {"module.py"}


def test_files_belong_to_whoever_records_them(tmp_path: Path) -> None:
    record = "a/__init__.py,,\n../bin/tool,,\na/never.pyc,,\na-1.dist-info/RECORD,,\n"
    texts = {
        "lib/a-1.dist-info/RECORD": record,
        "lib/a/__init__.py": "",
        "bin/tool": "",
        "lib/other.py": "",
    }
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    packages = read_packages(_read(tmp_path), tmp_path, "lib")
    assert {name: set(files) for name, files in packages.items()} == {
        "a": {"lib/a-1.dist-info/RECORD", "lib/a/__init__.py", "bin/tool"},
        REST: {"lib/other.py"},
    }


@pytest.mark.parametrize("variants", [False, True])
def test_the_packages_have_as_many_files_as_they_say(variants: bool) -> None:
    repository = Repository()
    fill(repository, variants=variants)
    for name, size in SIZES.items():
        wheels = [e.file for e in repository.projects[name] if e.file.metadata]
        assert [wheel.version for wheel in wheels] == [OLD, NEW]
        assert all(wheel.filename.endswith("-best.whl") == variants for wheel in wheels)
        for wheel in wheels:
            with zipfile.ZipFile(io.BytesIO(wheel.content)) as archive:
                names = archive.namelist()
            assert sum(each.startswith(f"{name}/") for each in names) == size
            assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    # As R's prop.test(hits, of, correct=FALSE) has them.
    [(0, 20, 0.0, 0.1611), (6, 16, 0.1848, 0.6136), (20, 26, 0.5795, 0.8897)],
)
def test_intervals(hits: int, of: int, low: float, high: float) -> None:
    assert Share(hits, of).interval == pytest.approx((low, high), abs=5e-4)
    missed = Share(of - hits, of).interval
    assert missed == pytest.approx((1 - high, 1 - low), abs=5e-4)


def test_of_no_runs_nothing_is_known() -> None:
    assert Share(0, 0).interval == (0.0, 1.0)


def test_fisher_s_tea() -> None:
    # The lady tasting tea: 3 of 4 cups right.
    assert chance_of_so_many(Share(3, 4), Share(1, 4)) == pytest.approx(17 / 70)
    assert chance_of_so_many(Share(4, 4), Share(0, 4)) == pytest.approx(1 / 70)
    assert chance_of_so_many(Share(0, 4), Share(4, 4)) == 1


def test_a_ratio_of_shares() -> None:
    middle, low, high = ratio(Share(30, 60), Share(60, 60))
    assert low < middle < high
    assert middle == pytest.approx(0.5, abs=0.02)
    assert ratio(Share(30, 60), Share(60, 60)) == (middle, low, high)
    # Without a hit there is still something to be said.
    assert 0 < ratio(Share(0, 60), Share(60, 60))[2] < 0.1


def test_moments_are_spread_evenly_and_the_same_again() -> None:
    drawn = moments(7, signal.SIGKILL, 60)
    assert [int(moment * 60) for moment in drawn] == list(range(60))
    assert moments(7, signal.SIGKILL, 60) == drawn
    assert moments(8, signal.SIGKILL, 60) != drawn
    assert moments(7, signal.SIGTERM, 60) != drawn


def _verdict(outcome: Outcome, *litter: str) -> Verdict:
    return Verdict(outcome, {"a": outcome}, {}, litter)


def _kill(outcome: Outcome, after: Verdict | None = None) -> Kill:
    return Kill(0.5, 0.4, -9, 0, _verdict(outcome), after)


def _results(name: str, *kills: Kill) -> Results:
    (configuration,) = (each for each in CONFIGURATIONS if each.name == name)
    runs = [Undisturbed(2.0, 1.0, absent) for absent in (0.02, 0.03, 0.9)]
    return Results(configuration, runs, {signal.SIGKILL: list(kills)})


MENDED = _verdict(Outcome.NEW)
OLD_ONE, NEW_ONE = _kill(Outcome.OLD), _kill(Outcome.NEW)
MIXED_ONE = _kill(Outcome.MIXED, MENDED)


def test_what_is_counted() -> None:
    kills = [
        *(OLD_ONE, NEW_ONE, NEW_ONE, MIXED_ONE),
        _kill(Outcome.BROKEN, _verdict(Outcome.BROKEN)),
        _kill(Outcome.BROKEN, _verdict(Outcome.NEW, "~a")),
    ]
    text = tables([_results("upstream", *kills)])
    share = "50% (19% to 81%)"
    row = f"6 | 0 | 1 | 2 | 1 | 2 | {share} | 0 | 1 of 3, 1 more with litter | 30 ms |"
    assert f"| untouched pip | SIGKILL | {row}" in text
    assert "| untouched pip | 3 | 2.00 s | 1000 ms | 30 ms | 500 ms |" in text


def _goals(*results: Results) -> list[bool]:
    return [is_met for _, is_met in goals(results)]


def test_a_goal_is_missed_if_the_fork_does_half_the_damage() -> None:
    base = _results("upstream", *[MIXED_ONE] * 10, *[NEW_ONE] * 10)
    half = _results("variants", *[MIXED_ONE] * 5, *[NEW_ONE] * 15)
    assert _goals(base, half) == [True, True]
    more = _results("plain", *[MIXED_ONE] * 6, *[NEW_ONE] * 14)
    assert _goals(base, more) == [False, True]
    assert "**no**" in tables([base, _results("variants", *[MIXED_ONE] * 20)])
    assert _goals(half) == []


def test_a_goal_is_missed_if_a_module_is_absent_for_longer() -> None:
    base, ours = _results("upstream", NEW_ONE), _results("variants", NEW_ONE)
    ours.undisturbed[:] = [Undisturbed(2.0, 1.0, base.absent + 0.001)]
    assert _goals(base, ours) == [True, False]


def test_every_run_is_written_down() -> None:
    told = document([_results("upstream", OLD_ONE, MIXED_ONE)], 7)
    assert told["seed"] == 7
    runs = told["configurations"]["upstream"]["kills"]
    assert [run["outcome"] for run in runs] == ["old", "mixed"]
    assert [run["signal"] for run in runs] == ["SIGKILL", "SIGKILL"]
    assert runs[0]["next"] is None
    assert runs[1]["next"]["outcome"] == "new"


PIP, CHILD = 10, 11


@pytest.mark.parametrize(
    ("pip", "child", "passed"),
    [
        # It ran all the time; it could have, for a while; nobody let it.
        (Usage(1.0, 0.0), Usage(), 1.0),
        (Usage(0.6, 0.4), Usage(), 0.6),
        (Usage(0.0, 1.0), Usage(), 0.0),
        # It waited for a disk, or for a child, which had to wait itself for a while.
        (Usage(0.0, 0.0), Usage(), 1.0),
        (Usage(0.1, 0.0), Usage(0.5, 0.4), 0.6),
        # What a child does beside it is none of its business.
        (Usage(1.0, 0.0), Usage(0.5, 0.5), 1.0),
    ],
)
def test_a_clock_stands_still_while_others_have_the_processor(
    pip: Usage, child: Usage, passed: float
) -> None:
    wall = 5.0
    used = {PIP: Usage(3.0, 2.0), CHILD: Usage(1.0, 1.0)}
    clock = Clock(
        PIP,
        wall=lambda: wall,
        usage=lambda process: used.get(process, Usage()),
        processes=lambda _: [PIP, CHILD],
    )
    wall += 1
    clock.now()
    before = clock.now()
    wall += 1
    for process, more in ((PIP, pip), (CHILD, child)):
        old = used[process]
        used[process] = Usage(old.ran + more.ran, old.waited + more.waited)
    assert clock.now() - before == pytest.approx(passed)
    # The processes have ended: time goes on.
    used.clear()
    wall += 1
    assert clock.now() - before == pytest.approx(passed + 1)


linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="inotify is Linux's"
)

_REPLACED = """\
import os, sys, time
os.rename("a", "~a")
open(sys.argv[1], "w").close()
sys.stdin.readline()
time.sleep(0.3)
os.mkdir("a")
with open("a/__init__.py", "w") as file:
    file.write("newer")
"""


@linux
def test_a_removal_and_an_absence_are_seen(tmp_path: Path) -> None:
    module = tmp_path / "a" / "__init__.py"
    module.parent.mkdir()
    module.write_text("old", encoding="utf-8")
    mark = tmp_path / "mark"
    absence = Absence(module, (3, 5))
    with Watch() as watch:
        command = [sys.executable, "-c", _REPLACED, str(mark)]
        with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE) as process:
            clock = Clock(process.pid)
            while module.exists():
                time.sleep(0.001)
            removal = clock.now()
            assert process.poll() is None
            absence.look(removal)
            while not mark.exists():
                time.sleep(0.001)
            assert process.stdin is not None
            process.stdin.close()
            end = watch.until_the_end(process, absence, clock)
    assert removal < end
    # The clock may go back a little.
    assert 0.2 < absence.seconds < end - removal + 0.1
