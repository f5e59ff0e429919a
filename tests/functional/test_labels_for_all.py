"""A label that is chosen for whatever has it: of which packages, in which release."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.index import IndexServer
from tests.lib.manifests import Properties
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]

HINT = (
    "Choose another label with --variant PACKAGE=LABEL, or remove the option. To "
    "install for another machine, add --variant-host FILE."
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
        (["scipy", "requests", "--variant", "v2"], "requests-2.0 scipy-1.16.1 (v2)"),
        # Each label is for what has it.
        (
            ["scipy<1.16", "numpy>1", "--variant=v1", "--variant=v3"],
            "numpy-2.0 (v3) scipy-1.15.0 (v1)",
        ),
        # Nobody named numpy: of its newest release, if that one has it.
        (
            ["app", "scipy", "--variant", "v1"],
            "app-1.0 numpy-2.0 (v2) scipy-1.16.0 (v1)",
        ),
        (["app", "numpy", "--variant", "v1"], "app-1.0 numpy-1.0 (v1)"),
    ],
    ids=str,
)
def test_what_is_installed(
    pip: Pip, scipy: list[str], arguments: Sequence[str], expected: str
) -> None:
    assert planned(pip(*scipy, *arguments)) == expected


def test_names_in_requirements_file(venv: Environment, scipy: list[str]) -> None:
    lines = venv.work / "requirements.txt"
    lines.write_text("--variant v1\nscipy\n")
    assert planned(venv.pip(*scipy, "-r", lines)) == "scipy-1.16.0 (v1)"
    # It has precedence over the environment.
    typed = venv.pip(*scipy, "-r", lines, env={"PIP_VARIANT": "v2"})
    assert planned(typed) == "scipy-1.16.0 (v1)"
    # A constraint names nothing.
    constraints = venv.work / "constraints.txt"
    constraints.write_text("numpy\n")
    command = [*scipy, "app", "scipy", "-c", str(constraints), "--variant", "v1"]
    assert planned(venv.pip(*command)) == "app-1.0 numpy-2.0 (v2) scipy-1.16.0 (v1)"


def test_label_on_one_line(venv: Environment, scipy: list[str]) -> None:
    lines = venv.work / "requirements.txt"
    lines.write_text(
        "scipy --variant v1\nscipy ; python_version < '3' --variant v2\nnumpy\n"
    )
    found = planned(venv.pip(*scipy, "-r", lines))
    assert found == "numpy-2.0 (v2) scipy-1.16.0 (v1)"


def test_configured_label_is_weaker(venv: Environment, scipy: list[str]) -> None:
    configured = {"PIP_VARIANT": "v1"}
    result = venv.pip(*scipy, "scipy", env=configured)
    assert (planned(result), result.stderr) == ("scipy-1.17.1", "")
    result = venv.pip(*scipy, "scipy", "numpy<2", env=configured)
    assert planned(result) == "numpy-1.0 (v1) scipy-1.17.1"
    # And it is no error if nothing has it.
    result = venv.pip(*scipy, "numpy", env=configured)
    assert planned(result) == "numpy-2.0 (v2)"
    assert result.stderr == (
        "WARNING: The configuration or PIP_VARIANT sets the label 'v1', but no "
        "package has a variant with this label: numpy 2.0 has null, v3, v2\n"
    )
    # A typed one is stronger, also for dependencies, and for what is installed.
    configured = {"PIP_VARIANT": "numpy=v3"}
    venv.pip("install", *scipy[2:], "numpy", env=configured)
    result = venv.pip(*scipy, "app", "--variant", "v2", env=configured)
    assert planned(result) == "app-1.0 numpy-2.0 (v2)"


def explained(scipy: list[str], choice: str) -> str:
    """Return what to type to see the reasons."""
    options = shlex.join(["--index-url", scipy[-1], "--variant", choice])
    return f"To see all reasons: pip variants explain scipy {options}\n"


def test_newer_releases_without_it_are_told_of(pip: Pip, scipy: list[str]) -> None:
    for choice in ("v1", "scipy=v1"):
        result = pip(*scipy, "scipy", "--variant", choice)
        assert result.stderr == (
            "WARNING: pip chose scipy 1.16.0 instead of 1.17.1: no variants, but you "
            f"requested 'v1'. {explained(scipy, choice)}"
        )
        result = pip(*scipy, "scipy<1.17", "--variant", choice)
        assert result.stderr == (
            "WARNING: pip chose scipy 1.16.0 instead of 1.16.1: no installable variant "
            "'v1', which you requested; available: null, v2. "
            f"{explained(scipy, choice)}"
        )


@pytest.mark.parametrize(
    ("arguments", "listed"),
    [
        (
            ["scipy"],
            [
                "scipy 1.16.1 has null, v2",
                "scipy 1.16.0 has null, v2, v1",
                "scipy 1.15.0 has null, v1",
            ],
        ),
        (["app"], ["numpy 2.0 has null, v3, v2"]),
        (
            ["requests"],
            ["'requests' has no variant wheels for this platform and Python"],
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
    command: str,
) -> None:
    options = scipy if command == "install" else ["lock", "-o", "-", *scipy[2:]]
    result = pip(*options, *arguments, "--variant", "v9", code=1)
    lines = "\n    ".join(listed)
    assert result.stderr.partition("error: ")[2] == (
        f"nothing-to-install\n\n× No variant has the label 'v9'.\n╰─> {lines}\n\n"
        f"hint: {HINT}\n"
    )


def test_conflict_with_a_label(pip: Pip, index: IndexServer, scipy: list[str]) -> None:
    index.add(make_wheel("newer", "1.0", requires=["scipy>=1.16.1"]))
    result = pip(*scipy, "scipy", "newer", "--variant", "v1", code=1)
    said = "ERROR: scipy 1.17.1:\nERROR:   no variants, but you requested 'v1'\n"
    assert said in result.stderr
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


def test_a_label_as_a_part_of_a_version(
    venv: Environment, index: IndexServer, scipy: list[str]
) -> None:
    error = (
        "error: nothing-to-install\n"
        "\n"
        "× 'scipy' has no version 1.16.0+v2.\n"
        "╰─> 'v2' is a variant of scipy 1.16.0, not part of the version.\n"
        "\n"
        "hint: Write scipy==1.16.0 --variant scipy=v2.\n"
    )
    constraints = venv.work / "constraints.txt"
    constraints.write_text("scipy==1.16.0+v2\n")
    for command in (
        [*scipy, "scipy==1.16.0+v2"],
        ["variants", "explain", *scipy[2:], "scipy==1.16.0+v2"],
        # In a constraint it is no better.
        [*scipy, "scipy", "-c", constraints],
    ):
        assert venv.pip(*command, code=1).stderr == error
    index.add_release("pkg", "1.0", builds("x86_64_v3"))
    result = venv.pip(*scipy, "pkg===1.0+x86.64_v3", code=1)
    assert "Write pkg==1.0 --variant pkg=x86_64_v3." in result.stderr


def test_a_local_version_that_is_no_label(pip: Pip, scipy: list[str]) -> None:
    for requirement in ("scipy==1.16.0+v7", "scipy==1.17.1+v2", "scipy==1.16+v"):
        result = pip(*scipy, requirement, code=1)
        said = f"No matching distribution found for {requirement}"
        assert said in result.stderr
