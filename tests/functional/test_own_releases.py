"""The fork keeps to its own releases unless the user pins another one."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path

import pytest

from fork.version import UPSTREAM, VERSION
from tests.lib.environments import Environment, Result, Workshop
from tests.lib.in_process import InProcess
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]
Start = Callable[[], IndexServer]

#: This one, and what would be one of it made of a later pip.
OWN = VERSION
NEXT = "27.0+variants.0.2.0"
#: Lets pip look for a newer one, which other tests do not want.
CHECKED: dict[str, str | None] = {"PIP_DISABLE_PIP_VERSION_CHECK": None}


@pytest.fixture(autouse=True)
def installed_pip(venv: Environment | InProcess) -> None:
    """See to it that pip finds itself installed."""
    if isinstance(venv, InProcess):
        venv.show_pip()


@pytest.fixture
def pips(index: IndexServer) -> list[str]:
    """Return the options for an index with upstream's releases, newer ones too."""
    for version in ("26.3", "26.4", "27.0"):
        index.add(make_wheel("pip", version))
    return ["-i", index.index_url]


def chosen(result: Result) -> str | None:
    """Return what a dry run would install, None for nothing."""
    for line in result.lines:
        if line.startswith("Would install "):
            return line.removeprefix("Would install ")
    return None


def test_a_pin_does(pip: Pip, pips: list[str]) -> None:
    assert chosen(pip("install", "--dry-run", "pip==26.4", *pips)) == "pip-26.4"
    assert chosen(pip("install", "--dry-run", "pip===26.3", *pips)) == "pip-26.3"


@pytest.mark.parametrize("flag", ["--ignore-installed", "--force-reinstall"])
def test_its_name_alone_does_not(pip: Pip, pips: list[str], flag: str) -> None:
    result = pip("install", "--dry-run", flag, "pip", *pips, code=1)
    assert "To switch to stock pip: pip install pip===27.0" in result.stderr


def test_listings(pip: Pip, index: IndexServer, pips: list[str]) -> None:
    """They know of the fork's releases as newer ones; `index versions` of all."""
    outdated = ["list", "--outdated", "--format", "json", *pips]
    assert json.loads(pip(*outdated).stdout) == []
    assert "27.0, 26.4" in pip("index", "versions", "pip", *pips).stdout
    index.add(make_wheel("pip", "26.3+variants.0.2.0"))
    (row,) = json.loads(pip(*outdated, "--no-cache-dir").stdout)
    assert (row["name"], row["latest_version"]) == ("pip", "26.3+variants.0.2.0")


def notices(result: Result) -> list[str]:
    """Return the lines of the notice of a newer pip."""
    mark = "[notice] "
    return [e.removeprefix(mark) for e in result.output.splitlines() if e[:9] == mark]


def asked_for(index: IndexServer) -> list[str]:
    """Return the projects whose pages were asked for; forget them."""
    paths = [each.path for each in index.requests if each.path.startswith("/simple/")]
    index.clear_log()
    return [path.split("/")[2] for path in paths]


@pytest.fixture
def app(index: IndexServer) -> list[str]:
    """Return what installs something else from the index."""
    index.add(make_wheel("app", "1.0"))
    return ["install", "--force-reinstall", "app", "-i", index.index_url]


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ([UPSTREAM, "26.2"], []),
        # The same pip, with a newer release of the fork.
        (
            [UPSTREAM, "26.3+variants.0.2.0"],
            [
                f"A new release of pip is available: {OWN} -> 26.3+variants.0.2.0",
                "To update, run: pip install --upgrade pip --index-url {index}",
            ],
        ),
        # Nobody is told what would replace the fork.
        ([UPSTREAM, "26.3.1"], []),
        # Nothing that an upgrade would not take.
        (["27.0rc1", "27.0b1+variants.0.2.0"], []),
    ],
)
def test_the_notice(
    there: list[str], told: list[str], pip: Pip, index: IndexServer, app: list[str]
) -> None:
    for version in there:
        index.add(make_wheel("pip", version))
    result = pip(*app, env=CHECKED)
    assert notices(result) == [each.format(index=index.index_url) for each in told]
    assert asked_for(index) == ["pip", "app"]


def test_the_notice_repeats_where_it_looked_and_nothing_else(
    pip: Pip, make_index: Start, app: list[str]
) -> None:
    second = make_index()
    second.add(make_wheel("pip", NEXT))
    options = ["--extra-index-url", second.index_url, "--pre", "--target", "lib"]
    lines = notices(pip(*app, *options, "--no-deps", env=CHECKED))
    assert lines[1] == (
        f"To update, run: pip install --upgrade pip --index-url {app[-1]} "
        f"--extra-index-url {second.index_url}"
    )


def test_what_is_no_upgrade(pip: Pip, index: IndexServer, app: list[str]) -> None:
    index.add(make_wheel("pip", NEXT), yanked="broken")
    index.add(make_wheel("pip", OWN))
    assert notices(pip(*app, env=CHECKED)) == []
    upgrade = pip("install", "-U", "--dry-run", "pip", "-i", index.index_url)
    assert chosen(upgrade) is None


@pytest.mark.scoped
def test_an_index_for_pip_alone(
    venv: Environment, make_index: Start, app: list[str], tmp_path: Path
) -> None:
    """Pip looks for itself there, unasked and so without a word; so does the way out."""
    own = make_index()
    own.add(make_wheel("pip", NEXT))
    given = ["--variant-index", f"pip,other={own.index_url}"]
    env = {**CHECKED, "PIP_CACHE_DIR": str(tmp_path / "cache")}
    # The second time pip knows what it has found.
    for asked in 1, 0:
        own.clear_log()
        result = venv.pip(*app, *given, env=env)
        assert len(own.log()) == asked
        assert "did not use" not in result.output
        assert f"Looking in {own.url}" not in result.output
        lines = notices(result)
    update = lines[1].partition(": pip ")[2].split()
    assert update[:4] == ["install", "--upgrade", "pip", "--variant-index"]
    assert chosen(venv.pip(*update, "--dry-run")) == f"pip-{NEXT}"


@pytest.mark.parametrize(
    ("there", "options", "expected", "told"),
    [
        (["26.2"], [], None, None),
        # A release of the fork on the index does not hide what upstream has.
        (["27.0", "26.3+variants.0.0.9"], [], None, "pip 27.0"),
        (["27.0", NEXT], [], f"pip-{NEXT}", None),
        (["27.0", "26.4+variants.1.0"], [], "pip-26.4+variants.1.0", "pip 27.0"),
        (["27.0rc1", OWN], ["--pre"], None, "pip 27.0rc1"),
        (["27.0"], ["--upgrade-strategy", "eager"], None, "pip 27.0"),
        (["27.0"], ["-q"], None, None),
        (["26.3+variants.0.2.0"], [], "pip-26.3+variants.0.2.0", None),
    ],
)
def test_an_upgrade(
    there: list[str],
    options: list[str],
    expected: str | None,
    told: str | None,
    pip: Pip,
    index: IndexServer,
) -> None:
    for version in there:
        index.add(make_wheel("pip", version))
    result = pip("install", "-U", "pip", "-i", index.index_url, "--dry-run", *options)
    assert chosen(result) == expected
    lines = [line for line in result.lines if "this fork has no release for" in line]
    assert [line.partition(" is")[0] for line in lines] == [told] * (told is not None)


def test_two_indexes(pip: Pip, index: IndexServer, make_index: Start) -> None:
    index.add(make_wheel("pip", "27.0"))
    second = make_index()
    second.add(make_wheel("pip", "26.3+variants.0.2.0"))
    both = ["-i", index.index_url, "--extra-index-url", second.index_url]
    result = pip("install", "-U", "pip", *both, "--dry-run")
    assert chosen(result) == "pip-26.3+variants.0.2.0"
    assert (
        "pip 27.0 is available, but this fork has no release for pip 27.0 yet (newest "
        "release: 26.3+variants.0.2.0). To switch to stock pip: pip install pip===27.0 "
        f"--index-url {both[1]} --extra-index-url {both[3]}" in result.lines
    )


def test_a_package_cannot_replace_it(
    pip: Pip, index: IndexServer, pips: list[str], tmp_path: Path
) -> None:
    """What pins pip may be any dependency; only the user says that the fork goes."""
    index.add(make_wheel("pins-pip", "1.0", requires=["pip==27.0"]))
    result = pip("install", "--dry-run", "pins-pip", *pips, code=1)
    assert "Would install" not in result.stdout
    assert f"pip install pip===27.0 --index-url {pips[1]}" in result.stderr
    pinned = pip("install", "--dry-run", "pins-pip", "pip===27.0", *pips)
    assert chosen(pinned) == "pins-pip-1.0 pip-27.0"
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("pip===27.0\n", encoding="utf-8")
    pinned = pip("install", "--dry-run", "pins-pip", "-c", constraints, *pips)
    assert chosen(pinned) == "pins-pip-1.0 pip-27.0"


def _pip_of(venv: Environment | InProcess) -> str:
    """Return the version of the pip that is installed."""
    path = [str(venv.site_packages)]
    (found,) = (e.version for e in metadata.distributions(path=path) if e.name == "pip")
    return found


#: What makes ``app`` depend on pip: with a field for its requirement.
SOURCES: Mapping[str, Mapping[str, str]] = {
    "a dependency": {"app": "{}"},
    "two hops": {"app": "helper", "helper": "{}"},
    "an extra": {"app": "helper[more]", "helper": "{}; extra == 'more'"},
}
FLAGS: Sequence[list[str]] = (
    [],
    ["--ignore-installed"],
    ["--force-reinstall", "-U", "--upgrade-strategy", "eager"],
)


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
@pytest.mark.parametrize("how", ["by name", "by URL"])
@pytest.mark.parametrize("source", SOURCES)
def test_no_dependency_replaces_it(
    venv: Environment | InProcess,
    index: IndexServer,
    pips: list[str],
    source: str,
    how: str,
    flags: list[str],
) -> None:
    url = index.file_url("pip-27.0-py3-none-any.whl")
    for name, needs in SOURCES[source].items():
        needed = needs.format("pip" if how == "by name" else f"pip @ {url} ")
        extras = {"more": [needed.partition(";")[0]]} if ";" in needed else {}
        requires = [] if extras else [needed]
        index.add(make_wheel(name, "1.0", requires=requires, extras=extras))
    result = venv.pip("install", "app", *flags, *pips)
    assert _pip_of(venv) == OWN
    assert "Successfully installed app-1.0" in result.stdout
    if how == "by name" and not flags:
        # What is installed satisfies the dependency: there is nothing to say.
        assert " fork " not in result.output
        return
    # The output has the command that replaces the fork.
    line = next(each for each in result.output.splitlines() if " fork " in each)
    _, *typed = shlex.split(line.rpartition(": ")[2])
    venv.pip(*typed)
    assert _pip_of(venv) == "27.0"


@pytest.mark.parametrize("how", ["line", "file", "no name"])
def test_what_the_user_names_replaces_it(
    venv: Environment | InProcess, index: IndexServer, pips: list[str], how: str
) -> None:
    url = index.file_url("pip-27.0-py3-none-any.whl")
    index.add(make_wheel("app", "1.0", requires=["pip"]))
    (venv.work / "file.txt").write_text(f"pip @ {url}\n", encoding="utf-8")
    wanted = {"line": [f"pip @ {url}"], "file": ["-r", "file.txt"], "no name": [url]}
    venv.pip("install", "app", *wanted[how], *pips)
    assert _pip_of(venv) == "27.0"


@pytest.mark.parametrize("option", ["--target", "--prefix", "--root"])
def test_in_another_place_a_dependency_brings_any_pip(
    venv: Environment | InProcess, index: IndexServer, pips: list[str], option: str
) -> None:
    url = index.file_url("pip-27.0-py3-none-any.whl")
    index.add(make_wheel("app", "1.0", requires=[f"pip @ {url}"]))
    result = venv.pip("install", "--dry-run", "app", *pips, option, "elsewhere")
    assert chosen(result) == "app-1.0 pip-27.0"


@pytest.mark.process
def test_what_upstreams_pip_found_is_not_told(
    upstream_venv: Environment, workshop: Workshop, index: IndexServer, app: list[str]
) -> None:
    """It has looked in this environment last week, before the fork came."""
    index.add(make_wheel("pip", "27.0"))
    before = upstream_venv.pip(*app, env=CHECKED)
    assert f"{UPSTREAM} -> 27.0" in before.output
    wheel = workshop.fork_wheel()
    upstream_venv.pip("install", "--no-index", wheel)
    assert notices(upstream_venv.pip(*app, env=CHECKED)) == []
    upstream_venv.pip(
        "install", "--no-index", "--force-reinstall", workshop.upstream_wheel()
    )
    after = upstream_venv.pip(*app, env=CHECKED)
    assert notices(after) == notices(before)


@pytest.mark.process
def test_a_zip_file_is_told_what_is_newer_and_nothing_to_type(
    venv: Environment, workshop: Workshop, index: IndexServer, app: list[str]
) -> None:
    for version in ("27.0", "26.4+variants.0.2.0"):
        index.add(make_wheel("pip", version))
    run: list[str | Path] = [venv.python, workshop.fork_wheel() / "pip", *app]
    assert notices(venv.run(*run, env=CHECKED)) == [
        f"A new release of pip is available: {OWN} -> 26.4+variants.0.2.0"
    ]
