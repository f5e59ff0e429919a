"""A label that is chosen for whatever has it: of which packages, in which release."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.index import IndexServer
from tests.lib.manifests import Properties
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]

LISTED = (
    "Choose one of these with --variant LABEL or --variant PACKAGE=LABEL, leave it to "
    "pip, or describe another machine with --variant-host FILE."
)
NOTHING = (
    "Leave --variant out, name the package that is meant, or an index with variants: "
    "--index-url URL."
)


def builds(*labels: str) -> dict[str, Properties]:
    """Return variants that run everywhere, the first of v1, v2 and v3 being the best."""
    stated = {label: [f"priority :: order :: {label[-1]}"] for label in labels}
    return {**stated, "null": {}}


@pytest.fixture
def scipy(index: IndexServer) -> list[str]:
    """Return arguments for an index whose newest scipy has no variants."""
    index.add_release("scipy", "1.15.0", builds("v1"))
    index.add_release("scipy", "1.16.0", builds("v1", "v2"))
    index.add_release("scipy", "1.16.1", builds("v2"))
    index.add(make_wheel("scipy", "1.17.1"))
    index.add_release("numpy", "1.0", builds("v1", "v2"))
    index.add_release("numpy", "2.0", builds("v2", "v3"))
    index.add(make_wheel("requests", "2.0"))
    index.add(make_wheel("app", "1.0", requires=["numpy"]))
    return ["install", "--dry-run", "-i", index.index_url]


def planned(result: Result) -> str:
    return result.lines[-1].removeprefix("Would install ")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["scipy"], "scipy-1.17.1"),
        (["scipy", "--variant", "v2"], "scipy-1.16.1 (v2)"),
        (["scipy", "--variant", "v1"], "scipy-1.16.0 (v1)"),
        (["scipy<1.16", "--variant", "v1"], "scipy-1.15.0 (v1)"),
        (["scipy", "requests", "--variant", "v2"], "requests-2.0 scipy-1.16.1 (v2)"),
        # Each label is for what has it.
        (
            ["scipy", "numpy", "--variant=scipy=v1", "--variant=v3"],
            "numpy-2.0 (v3) scipy-1.16.0 (v1)",
        ),
        (
            ["scipy<1.16", "numpy>1", "--variant=v1", "--variant=v3"],
            "numpy-2.0 (v3) scipy-1.15.0 (v1)",
        ),
        # Nobody named numpy: of its newest release, if that one has it.
        (["app", "--variant", "v3"], "app-1.0 numpy-2.0 (v3)"),
        (
            ["app", "scipy", "--variant", "v1"],
            "app-1.0 numpy-2.0 (v2) scipy-1.16.0 (v1)",
        ),
        (["app", "numpy", "--variant", "v1"], "app-1.0 numpy-1.0 (v1)"),
    ],
    ids=str,
)
@pytest.mark.parametrize("ahead", [[], ["--parallel-downloads=1"]])
def test_what_is_installed(
    pip: Pip,
    scipy: list[str],
    arguments: Sequence[str],
    expected: str,
    ahead: Sequence[str],
) -> None:
    assert planned(pip(*scipy, *arguments, *ahead)) == expected


def test_what_a_requirements_file_names_is_named(
    venv: Environment, scipy: list[str]
) -> None:
    lines = venv.work / "requirements.txt"
    lines.write_text("--variant v1\nscipy\n")
    assert planned(venv.pip(*scipy, "-r", lines)) == "scipy-1.16.0 (v1)"
    # The command line has precedence, and both have over the environment.
    typed = venv.pip(*scipy, "-r", lines, "--variant", "v2")
    assert planned(typed) == "scipy-1.16.1 (v2)"
    typed = venv.pip(*scipy, "-r", lines, env={"PIP_VARIANT": "v2"})
    assert planned(typed) == "scipy-1.16.0 (v1)"
    # A constraint names nothing.
    constraints = venv.work / "constraints.txt"
    constraints.write_text("numpy\n")
    command = [*scipy, "app", "scipy", "-c", str(constraints), "--variant", "v1"]
    assert planned(venv.pip(*command)) == "app-1.0 numpy-2.0 (v2) scipy-1.16.0 (v1)"


def test_a_line_for_another_environment_chooses_nothing(
    venv: Environment, scipy: list[str]
) -> None:
    lines = venv.work / "requirements.txt"
    lines.write_text(
        "scipy --variant v1\nscipy ; python_version < '3' --variant v2\nrequests\n"
    )
    assert planned(venv.pip(*scipy, "-r", lines)) == "requests-2.0 scipy-1.16.0 (v1)"


def test_what_is_configured_takes_no_older_release(
    venv: Environment, scipy: list[str]
) -> None:
    configured = {"PIP_VARIANT": "v1"}
    result = venv.pip(*scipy, "scipy", env=configured)
    assert (planned(result), result.stderr) == ("scipy-1.17.1", "")
    result = venv.pip(*scipy, "scipy", "numpy<2", env=configured)
    assert planned(result) == "numpy-1.0 (v1) scipy-1.17.1"
    # And it is no error if nothing has it.
    result = venv.pip(*scipy, "numpy", env=configured)
    assert planned(result) == "numpy-2.0 (v2)"
    assert result.stderr == (
        "WARNING: Nothing has a variant that is labelled v1, as the configuration or "
        "PIP_VARIANT has it: numpy 2.0 has null, v3, v2\n"
    )


def test_newer_releases_without_it_are_told_of(pip: Pip, scipy: list[str]) -> None:
    for choice in ("v1", "scipy=v1"):
        result = pip(*scipy, "scipy", "--variant", choice)
        assert result.stderr == (
            "WARNING: scipy 1.16.0 was chosen instead of 1.17.1, which has no variants; "
            "you asked for v1\n"
        )
        result = pip(*scipy, "scipy<1.17", "--variant", choice)
        assert result.stderr == (
            "WARNING: scipy 1.16.0 was chosen instead of 1.16.1, which has no variant "
            "v1, which you asked for; it has null, v2\n"
        )


def test_it_is_explained(pip: Pip, scipy: list[str]) -> None:
    explain = ["variants", "explain", "scipy", *scipy[2:], "--variant", "v1"]
    result = pip(*explain)
    assert result.lines[2:6] == [
        "Versions, newest first",
        (
            "  1.17.1: it lacks the label that was chosen with --variant (it has no "
            "variants; you asked for v1)"
        ),
        (
            "  1.16.1: it lacks the label that was chosen with --variant (it has no variant "
            "v1, which you asked for; it has null, v2)"
        ),
        "  1.16.0: taken",
    ]
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "listed", "hint"),
    [
        (
            ["scipy"],
            [
                "scipy 1.16.1 has null, v2",
                "scipy 1.16.0 has null, v2, v1",
                "scipy 1.15.0 has null, v1",
            ],
            LISTED,
        ),
        (
            ["numpy"],
            ["numpy 2.0 has null, v3, v2", "numpy 1.0 has null, v2, v1"],
            LISTED,
        ),
        (["app"], ["numpy 2.0 has null, v3, v2"], LISTED),
        (
            ["requests"],
            ["requests has no variant wheels for this platform and Python"],
            NOTHING,
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("command", ["install", "lock"])
def test_a_label_that_nothing_has(
    pip: Pip,
    scipy: list[str],
    arguments: Sequence[str],
    listed: Sequence[str],
    hint: str,
    command: str,
) -> None:
    options = scipy if command == "install" else ["lock", "-o", "-", *scipy[2:]]
    result = pip(*options, *arguments, "--variant", "v9", code=1)
    lines = "\n    ".join(listed)
    assert result.stderr.partition("error: ")[2] == (
        f"variant-label-not-found\n\n× No variant is labelled v9.\n╰─> {lines}\n\n"
        f"hint: {hint}\n"
    )


@pytest.mark.parametrize("choice", ["v1", "scipy=v1"])
def test_a_conflict_of_which_it_is_a_part(
    pip: Pip, index: IndexServer, scipy: list[str], choice: str
) -> None:
    index.add(make_wheel("newer", "1.0", requires=["scipy>=1.16.1"]))
    result = pip(*scipy, "scipy", "newer", "--variant", choice, code=1)
    assert "ERROR: scipy 1.17.1 has no variants; you asked for v1\n" in result.stderr
    assert "newer 1.0 depends on scipy>=1.16.1" in result.output


def test_what_is_installed_has_it(venv: Environment, scipy: list[str]) -> None:
    install = ["install", *scipy[2:], "scipy", "--variant"]
    venv.pip(*install, "v2")
    assert "already satisfied" in venv.pip(*install, "v2").stdout
    # The newest that has it is another one.
    venv.pip(*install, "v1")
    assert venv.installed()["scipy"] == "1.16.0"
    # Asked for anew, what is installed stays: it has that label too.
    venv.pip(*install, "v2")
    assert venv.installed()["scipy"] == "1.16.0"
    assert venv.eval("scipy.variant_label", "scipy") == "v2"
    venv.pip(*install, "v2", "--upgrade")
    assert venv.installed()["scipy"] == "1.16.1"


def test_a_wheel_file_has_it(venv: Environment, scipy: list[str]) -> None:
    fetch = ["download", *scipy[2:], "-d", ".", "--no-deps", "--variant"]
    venv.pip(*fetch, "v2", "scipy")
    (wheel,) = venv.work.glob("scipy-*-v2.whl")
    assert planned(venv.pip(*scipy, wheel, "--variant", "v2")) == "scipy-1.16.1 (v2)"


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        (
            "scipy==1.16.0+v2",
            (
                "No version of scipy is 1.16.0+v2.\n╰─> v2 is a variant of scipy 1.16.0, not a "
                "part of its version.\n\nhint: Write scipy==1.16.0 --variant scipy=v2."
            ),
        ),
        (
            "pkg===1.0+x86.64_v3",
            (
                "No version of pkg is 1.0+x86.64_v3.\n╰─> x86_64_v3 is a variant of pkg 1.0, "
                "not a part of its version.\n\nhint: Write pkg==1.0 --variant "
                "pkg=x86_64_v3."
            ),
        ),
    ],
)
def test_a_label_as_a_part_of_a_version(
    venv: Environment, index: IndexServer, scipy: list[str], requirement: str, said: str
) -> None:
    index.add_release("pkg", "1.0", builds("x86_64_v3"))
    error = f"error: variant-label-in-version\n\n× {said}\n"
    assert venv.pip(*scipy, requirement, code=1).stderr == error
    explain = ["variants", "explain", *scipy[2:], requirement]
    assert venv.pip(*explain, code=1).stderr == error
    # In a constraint it is no better.
    constraints = venv.work / "constraints.txt"
    constraints.write_text(f"{requirement}\n")
    project = requirement.partition("=")[0]
    result = venv.pip(*scipy, project, "-c", constraints, code=1)
    assert result.stderr == error


def test_a_local_version_that_is_no_label(pip: Pip, scipy: list[str]) -> None:
    for requirement in ("scipy==1.16.0+v7", "scipy==1.17.1+v2", "scipy==1.16+v"):
        result = pip(*scipy, requirement, code=1)
        said = f"No matching distribution found for {requirement}"
        assert said in result.stderr


def test_a_label_as_an_extra(pip: Pip, index: IndexServer, scipy: list[str]) -> None:
    index.add_release("other", "1.0", builds("v2"), extras={"v2": []})
    result = pip(*scipy, "scipy[v2]<1.17", "other[v2]")
    assert planned(result) == "other-1.0 (v2) scipy-1.16.1 (v2)"
    assert result.stderr == (
        "WARNING: scipy 1.16.1 does not provide the extra 'v2'\n"
        "WARNING: v2 is a variant of scipy 1.16.1, not an extra: --variant scipy=v2\n"
    )
    assert "not an extra" not in pip(*scipy, "scipy[v7]<1.17").stderr
