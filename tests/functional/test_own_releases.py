"""The fork keeps to its own releases unless the user pins another one."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
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


def test_upstream_does_not_replace_it_unasked(pip: Pip, pips: list[str]) -> None:
    result = pip("install", "--dry-run", "-U", "pip", *pips)
    assert chosen(result) is None
    assert "Requirement already satisfied: pip" in result.stdout
    assert (
        f"pip 27.0 is available, but not as a release of this fork yet ({OWN}); to leave "
        f"the fork for it: pip install pip===27.0 --index-url {pips[1]}" in result.lines
    )
    assert chosen(pip("install", "--dry-run", "pip>=26", *pips)) is None


def test_a_pin_does(pip: Pip, pips: list[str]) -> None:
    assert chosen(pip("install", "--dry-run", "pip==26.4", *pips)) == "pip-26.4"
    assert chosen(pip("install", "--dry-run", "pip===26.3", *pips)) == "pip-26.3"


def test_a_newer_release_of_the_fork_does(
    pip: Pip, index: IndexServer, pips: list[str]
) -> None:
    index.add(make_wheel("pip", "26.3+variants.0.2.0"))
    result = pip("install", "--dry-run", "-U", "pip", *pips)
    assert chosen(result) == "pip-26.3+variants.0.2.0"


def test_listings(pip: Pip, index: IndexServer, pips: list[str]) -> None:
    """They know of the fork's releases as newer ones; `index versions` of all."""
    outdated = ["list", "--outdated", "--format", "json", *pips]
    assert json.loads(pip(*outdated).stdout) == []
    assert "27.0, 26.4" in pip("index", "versions", "pip", *pips).stdout
    index.add(make_wheel("pip", "26.3+variants.0.2.0"))
    (row,) = json.loads(pip(*outdated, "--no-cache-dir").stdout)
    assert (row["name"], row["latest_version"]) == ("pip", "26.3+variants.0.2.0")


def test_elsewhere_upstream_is_installed(pip: Pip, pips: list[str]) -> None:
    for where in (["--target", "lib"], ["--ignore-installed"]):
        result = pip("install", "--dry-run", "-U", "pip", *pips, *where)
        assert chosen(result) == "pip-27.0"
    result = pip("download", "pip", *pips)
    assert "Saved ./pip-27.0-py3-none-any.whl" in result.stdout


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


@pytest.fixture
def registered(venv: Environment | InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a fork that was built when the carrier's name was registered."""
    if isinstance(venv, InProcess):
        from pip._internal.variants.selection import fork

        monkeypatch.setattr(fork, "CARRIER", "pip-variants")
        return
    built = venv.site_packages / "pip/_internal/variants/selection/fork.py"
    text = built.read_text(encoding="utf-8")
    line = "CARRIER: str | None = "
    assert text.count(f"{line}None") == 1
    text = text.replace(f"{line}None", f'{line}"pip-variants"')
    built.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ([UPSTREAM, "26.2"], []),
        ([], []),
        # The same pip, with a newer release of the fork.
        (
            [UPSTREAM, "26.3+variants.0.2.0"],
            [
                f"A new release of pip is available: {OWN} -> 26.3+variants.0.2.0",
                "To update, run: pip install --upgrade pip --index-url {index}",
            ],
        ),
        (
            [UPSTREAM, "26.3.1"],
            [
                f"pip 26.3.1 is available, but not as a release of this fork yet ({OWN})",
                (
                    "To leave the fork for it, run: pip install pip===26.3.1 "
                    "--index-url {index}"
                ),
            ],
        ),
        (
            ["27.0", "26.4+variants.0.2.0"],
            [
                f"A new release of pip is available: {OWN} -> 26.4+variants.0.2.0",
                "To update, run: pip install --upgrade pip --index-url {index}",
                (
                    "pip 27.0 is available, but not as a release of this fork yet "
                    "(26.4+variants.0.2.0)"
                ),
                (
                    "To leave the fork for it, run: pip install pip===27.0 "
                    "--index-url {index}"
                ),
            ],
        ),
        (
            ["27.0", NEXT],
            [
                f"A new release of pip is available: {OWN} -> {NEXT}",
                "To update, run: pip install --upgrade pip --index-url {index}",
            ],
        ),
        # Nothing that an upgrade would not take.
        (["27.0rc1", "27.0b1+variants.0.2.0"], []),
    ],
)
def test_the_notice(
    there: list[str],
    told: list[str],
    pip: Pip,
    index: IndexServer,
    app: list[str],
) -> None:
    for version in there:
        index.add(make_wheel("pip", version))
    result = pip(*app, env=CHECKED)
    assert notices(result) == [each.format(index=index.index_url) for each in told]
    assert asked_for(index) == ["pip", "app"]


def test_what_the_notice_says_to_type_works(
    pip: Pip, index: IndexServer, app: list[str]
) -> None:
    for version in ("27.0", "26.4+variants.0.2.0"):
        index.add(make_wheel("pip", version))
    lines = notices(pip(*app, env=CHECKED))
    commands = [each.partition(", run: pip ")[2].split() for each in lines]
    update, leave = (each for each in commands if each)
    assert chosen(pip(*update, "--dry-run")) == "pip-26.4+variants.0.2.0"
    assert chosen(pip(*leave, "--dry-run")) == "pip-27.0"


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


@pytest.mark.parametrize(
    ("entry", "options"),
    [
        ({"yanked": "broken"}, []),
        ({"requires_python": ">=4"}, []),
        (
            {"upload_time": "2026-11-01T00:00:00Z"},
            ["--uploaded-prior-to", "2026-10-01T00:00:00Z"],
        ),
        ({}, ["--no-binary", "pip"]),
    ],
)
def test_no_notice_of_what_an_upgrade_would_not_take(
    entry: dict[str, str], options: list[str], pip: Pip, index: IndexServer
) -> None:
    index.add(make_wheel("app", "1.0"), upload_time="2026-01-01T00:00:00Z")
    index.add(make_wheel("pip", NEXT), **entry)  # type: ignore[arg-type]
    index.add(make_wheel("pip", OWN), upload_time="2026-01-01T00:00:00Z")
    result = pip("install", "app", "-i", index.index_url, *options, env=CHECKED)
    assert notices(result) == []
    upgrade = pip("install", "-U", "--dry-run", "pip", "-i", index.index_url, *options)
    assert chosen(upgrade) is None


def test_the_index_is_asked_once_a_week(
    venv: Environment | InProcess, index: IndexServer, app: list[str]
) -> None:
    index.add(make_wheel("pip", "27.0"))
    first = notices(venv.pip(*app, env=CHECKED))
    assert asked_for(index) == ["pip", "app"]
    assert notices(venv.pip(*app, env=CHECKED)) == first != []
    assert asked_for(index) == ["app"]
    (kept,) = venv.home.rglob("selfcheck/*")
    state = json.loads(kept.read_text(encoding="utf-8"))
    state["last_check"] = "2020-01-01T00:00:00+00:00"
    kept.write_text(json.dumps(state), encoding="utf-8")
    index.add(make_wheel("pip", NEXT))
    lines = notices(venv.pip(*app, env=CHECKED))
    assert lines[0] == f"A new release of pip is available: {OWN} -> {NEXT}"


def test_the_file_that_upstreams_pip_keeps_is_let_alone(
    venv: Environment | InProcess, index: IndexServer, app: list[str], tmp_path: Path
) -> None:
    index.add(make_wheel("pip", "26.3.1"))
    of_upstream = hashlib.sha224(str(venv.venv).encode()).hexdigest()
    kept = tmp_path / "cache" / "selfcheck" / of_upstream
    kept.parent.mkdir(parents=True)
    now = datetime.now(timezone.utc).isoformat()
    said = {"key": str(venv.venv), "last_check": now, "pypi_version": "27.0"}
    kept.write_text(json.dumps(said), encoding="utf-8")
    looked = {**CHECKED, "PIP_CACHE_DIR": str(tmp_path / "cache")}
    assert notices(venv.pip(*app, env=looked))[0].startswith("pip 26.3.1 is available")
    assert json.loads(kept.read_text(encoding="utf-8")) == said
    assert len(list(kept.parent.iterdir())) == 2


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
        assert "was not asked" not in result.output
        assert f"Looking in {own.url}" not in result.output
        lines = notices(result)
    update = lines[1].partition(": pip ")[2].split()
    assert update[:4] == ["install", "--upgrade", "pip", "--variant-index"]
    assert chosen(venv.pip(*update, "--dry-run")) == f"pip-{NEXT}"


@pytest.mark.parametrize(
    ("options", "env"),
    [
        (["--disable-pip-version-check"], CHECKED),
        ([], {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}),
        (["--no-index", "--find-links", "."], CHECKED),
    ],
)
def test_whoever_wants_no_notice_gets_none(
    options: list[str],
    env: dict[str, str | None],
    venv: Environment | InProcess,
    index: IndexServer,
    app: list[str],
) -> None:
    make_wheel("app", "1.0").write_to(venv.work)
    index.add(make_wheel("pip", "27.0"))
    assert notices(venv.pip(*app, *options, env=env)) == []
    assert "pip" not in asked_for(index)


@pytest.mark.parametrize("there", ["27.0", NEXT])
def test_no_notice_of_a_pip_that_others_manage(
    there: str, venv: Environment | InProcess, index: IndexServer, app: list[str]
) -> None:
    index.add(make_wheel("pip", there))
    (installer,) = venv.site_packages.glob("pip-*.dist-info/INSTALLER")
    installer.write_text("uv\n", encoding="utf-8")
    assert notices(venv.pip(*app, env=CHECKED)) == []


def test_nothing_is_asked_for_a_name_that_nobody_owns(
    pip: Pip, index: IndexServer, app: list[str], pips: list[str]
) -> None:
    index.add(make_wheel("pip-variants", "9.0"))
    pip(*app, env=CHECKED)
    pip("install", "--dry-run", "-U", "pip", *pips, env=CHECKED)
    pip("list", "--outdated", *pips, env=CHECKED)
    assert set(asked_for(index)) == {"app", "pip"}


@pytest.mark.usefixtures("registered")
class TestRegistered:
    """The carrier's name is registered: releases of it bring the fork."""

    BY_CARRIER = "install --upgrade pip-variants --index-url {} && "

    def test_a_newer_carrier_is_told(
        self, pip: Pip, index: IndexServer, app: list[str], pips: list[str]
    ) -> None:
        for version in ("0.1.0", "0.2.0", "0.3.0rc1"):
            index.add(make_wheel("pip-variants", version))
        index.add(make_wheel("pip-variants", "0.4.0"), yanked="broken")
        result = pip("install", "--dry-run", "-U", "pip", *pips)
        assert chosen(result) is None
        (line,) = (each for each in result.lines if "pip-variants" in each)
        said, _, typed = line.partition(" to update: pip ")
        assert said == (
            f"pip-variants 0.2.0 brings a newer release of this pip than {OWN};"
        )
        expected = self.BY_CARRIER.format(index.index_url)
        assert typed.startswith(expected)
        assert typed.endswith(" -m pip_variants bootstrap")
        assert "pip 27.0" not in result.stdout
        lines = notices(pip(*app, env=CHECKED))
        assert lines == [
            f"A new release of pip is available in pip-variants 0.2.0; this is {OWN}",
            f"To update, run: pip {typed}",
        ]
        install = typed.partition(" && ")[0].split()
        assert chosen(pip(*install, "--dry-run")) == "pip-variants-0.2.0"

    def test_the_fork_itself_is_preferred(
        self, pip: Pip, index: IndexServer, app: list[str]
    ) -> None:
        index.add(make_wheel("pip", "26.3+variants.0.2.0"))
        index.add(make_wheel("pip-variants", "0.2.0"))
        result = pip("install", "--dry-run", "-U", "pip", "-i", index.index_url)
        assert chosen(result) == "pip-26.3+variants.0.2.0"
        assert "pip-variants" not in result.stdout
        lines = notices(pip(*app, env=CHECKED))
        assert lines[0] == (
            f"A new release of pip is available: {OWN} -> 26.3+variants.0.2.0"
        )
        assert len(lines) == 2

    def test_without_a_newer_one_upstreams_is_told(
        self, pip: Pip, index: IndexServer, app: list[str], pips: list[str]
    ) -> None:
        index.add(make_wheel("pip-variants", "0.1.0"))
        assert notices(pip(*app, env=CHECKED))[0].startswith("pip 27.0 is available")
        assert asked_for(index) == ["pip", "pip-variants", "app"]
        assert notices(pip(*app, env=CHECKED))
        assert asked_for(index) == ["app"]
        result = pip("install", "--dry-run", "-U", "pip", *pips)
        assert "pip 27.0 is available" in result.stdout

    def test_no_index_is_asked_where_none_is_wanted(
        self, venv: Environment | InProcess, index: IndexServer, app: list[str]
    ) -> None:
        make_wheel("app", "1.0").write_to(venv.work)
        here = ["--no-index", "--find-links", "."]
        venv.pip(*app, *here, env=CHECKED)
        venv.pip("install", "-U", "pip", *here)
        assert asked_for(index) == []


@pytest.mark.parametrize(
    ("there", "options", "expected", "told"),
    [
        (["26.2"], [], None, None),
        # A release of the fork on the index does not hide what upstream has.
        (["27.0", OWN], [], None, "pip 27.0"),
        (["27.0", "26.3+variants.0.0.9"], [], None, "pip 27.0"),
        (["27.0", NEXT], [], f"pip-{NEXT}", None),
        (["27.0", "26.4+variants.1.0"], [], "pip-26.4+variants.1.0", "pip 27.0"),
        (["27.0rc1", OWN], [], None, None),
        (["27.0rc1", OWN], ["--pre"], None, "pip 27.0rc1"),
        (["27.0rc1+variants.1.0"], ["--pre"], "pip-27.0rc1+variants.1.0", None),
        (["27.0"], ["--upgrade-strategy", "eager"], None, "pip 27.0"),
        (["27.0"], ["-q"], None, None),
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
    lines = [line for line in result.lines if "of this fork yet" in line]
    assert [line.partition(" is")[0] for line in lines] == [told] * (told is not None)


def test_a_withdrawn_release_is_no_upgrade(pip: Pip, index: IndexServer) -> None:
    for version in (NEXT, "28.0"):
        index.add(make_wheel("pip", version), yanked="broken")
    index.add(make_wheel("pip", UPSTREAM))
    result = pip("install", "-U", "pip", "-i", index.index_url, "--dry-run")
    assert chosen(result) is None
    assert "of this fork yet" not in result.stdout


def test_two_indexes(pip: Pip, index: IndexServer, make_index: Start) -> None:
    index.add(make_wheel("pip", "27.0"))
    second = make_index()
    second.add(make_wheel("pip", "26.3+variants.0.2.0"))
    both = ["-i", index.index_url, "--extra-index-url", second.index_url]
    result = pip("install", "-U", "pip", *both, "--dry-run")
    assert chosen(result) == "pip-26.3+variants.0.2.0"
    assert (
        "pip 27.0 is available, but not as a release of this fork yet "
        "(26.3+variants.0.2.0); to leave the fork for it: pip install pip===27.0 "
        f"--index-url {both[1]} --extra-index-url {both[3]}" in result.lines
    )


def test_a_folder_of_wheels(venv: Environment | InProcess, index: IndexServer) -> None:
    index.add(make_wheel("pip", "27.0"))
    index.add(make_wheel("app", "1.0"))
    make_wheel("pip", "26.3+variants.0.2.0").write_to(venv.work)
    looked = {**CHECKED, "PIP_FIND_LINKS": ".", "PIP_INDEX_URL": index.index_url}
    result = venv.pip("install", "-U", "pip", "--dry-run", env=looked)
    assert chosen(result) == "pip-26.3+variants.0.2.0"
    lines = notices(venv.pip("install", "app", env=looked))
    assert lines[:2] == [
        f"A new release of pip is available: {OWN} -> 26.3+variants.0.2.0",
        "To update, run: pip install --upgrade pip",
    ]


def test_with_others(pip: Pip, index: IndexServer, pips: list[str]) -> None:
    index.add(make_wheel("setuptools", "99.0"))
    index.add(make_wheel("needs-pip", "2.0", requires=["pip"]))
    result = pip("install", "--dry-run", "-U", "pip", "setuptools", *pips)
    assert chosen(result) == "setuptools-99.0"
    assert "pip 27.0 is available" in result.stdout
    eager = ["--dry-run", "-U", "--upgrade-strategy", "eager"]
    result = pip("install", *eager, "needs-pip", *pips)
    assert chosen(result) == "needs-pip-2.0"


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
    ["--force-reinstall"],
    ["-U", "--upgrade-strategy", "eager"],
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


@pytest.mark.parametrize("how", ["line", "file", "constraint", "no name"])
def test_what_the_user_names_replaces_it(
    venv: Environment | InProcess, index: IndexServer, pips: list[str], how: str
) -> None:
    url = index.file_url("pip-27.0-py3-none-any.whl")
    index.add(make_wheel("app", "1.0", requires=["pip"]))
    file = venv.work / "file.txt"
    file.write_text(f"pip @ {url}\n", encoding="utf-8")
    wanted = {
        "line": [f"pip @ {url}"],
        "file": ["-r", file.name],
        "constraint": ["-c", file.name],
        "no name": [url],
    }[how]
    venv.pip("install", "app", *wanted, *pips)
    assert _pip_of(venv) == "27.0"


@pytest.mark.parametrize("option", ["--target", "--prefix", "--root"])
def test_in_another_place_a_dependency_brings_any_pip(
    venv: Environment | InProcess, index: IndexServer, pips: list[str], option: str
) -> None:
    url = index.file_url("pip-27.0-py3-none-any.whl")
    index.add(make_wheel("app", "1.0", requires=[f"pip @ {url}"]))
    result = venv.pip("install", "--dry-run", "app", *pips, option, "elsewhere")
    assert chosen(result) == "app-1.0 pip-27.0"


@pytest.mark.parametrize("command", ["download", "wheel", "lock"])
def test_other_commands_take_any_pip(
    venv: Environment | InProcess, index: IndexServer, pips: list[str], command: str
) -> None:
    url = index.file_url("pip-27.0-py3-none-any.whl")
    index.add(make_wheel("app", "1.0", requires=[f"pip @ {url}"]))
    result = venv.pip(command, "app", *pips)
    if command == "lock":
        assert url in (venv.work / "pylock.toml").read_text(encoding="utf-8")
    else:
        assert (venv.work / "pip-27.0-py3-none-any.whl").exists(), str(result)


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
    lines = notices(upstream_venv.pip(*app, env=CHECKED))
    assert lines[0].startswith("pip 27.0 is available, but not as a release of this")
    assert "--upgrade pip" not in "".join(lines)
    upstream_venv.pip(
        "install", "--no-index", "--force-reinstall", workshop.upstream_wheel()
    )
    after = upstream_venv.pip(*app, env=CHECKED)
    assert notices(after) == notices(before)


@pytest.mark.process
def test_another_python_with_upstreams_pip(
    venv: Environment, upstream_venv: Environment, pips: list[str], app: list[str]
) -> None:
    """What is there is updated and told as upstream's pip would."""
    other = ["--python", str(upstream_venv.python)]
    (row,) = json.loads(
        venv.pip(*other, "list", "--outdated", "--format", "json", *pips).stdout
    )
    assert (row["name"], row["latest_version"]) == ("pip", "27.0")
    result = venv.pip(*other, "install", "--dry-run", "-U", "pip", *pips)
    assert chosen(result) == "pip-27.0"
    assert f"{UPSTREAM} -> 27.0" in venv.pip(*other, *app, env=CHECKED).output


@pytest.mark.process
@pytest.mark.on_wheel
def test_the_notice_comes_after_an_installation(
    venv: Environment, index: IndexServer, app: list[str]
) -> None:
    """When nothing may be imported any more, in a process of its own."""
    for version in ("27.0", "26.4+variants.0.2.0"):
        index.add(make_wheel("pip", version))
    result = venv.pip(*app, env=CHECKED)
    assert "Successfully installed app-1.0" in result.stdout
    assert "There was an error checking" not in result.stderr
    assert len(notices(result)) == 4


@pytest.mark.process
def test_a_zip_file_is_told_what_is_newer_and_nothing_to_type(
    venv: Environment, workshop: Workshop, index: IndexServer, app: list[str]
) -> None:
    for version in ("27.0", "26.4+variants.0.2.0"):
        index.add(make_wheel("pip", version))
    run: list[str | Path] = [venv.python, workshop.fork_wheel() / "pip", *app]
    assert notices(venv.run(*run, env=CHECKED)) == [
        f"A new release of pip is available: {OWN} -> 26.4+variants.0.2.0",
        (
            "pip 27.0 is available, but not as a release of this fork yet "
            "(26.4+variants.0.2.0)"
        ),
    ]


@pytest.mark.process
def test_it_installs_itself(venv: Environment, workshop: Workshop) -> None:
    wheel = workshop.fork_wheel()
    result = venv.pip("install", "--force-reinstall", "--no-deps", wheel)
    assert "Successfully installed pip-26.3+variants.0.1.0" in result.stdout
    venv.pip("check")
