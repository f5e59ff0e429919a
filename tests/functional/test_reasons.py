"""Why something is not taken: older releases, labels, files, keys and markers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda
from tests.lib.wheels import make_sdist, make_wheel

Pip = Callable[..., Result]

GPU: Mapping[str, str | None] = forced("13.0")
OLDER_GPU = forced("12.8")
LABELS = {"cuda12.6": cuda("12.6"), "cuda13.0": cuda("13.0"), "null": {}}


@pytest.fixture
def torch(index: IndexServer) -> list[str]:
    """Return the options for an index with a package that has variants."""
    index.add_release("torch", "2.9.0", LABELS, plain=False)
    index.add(make_wheel("app", "1.0", requires=["torch"]))
    return ["--index-url", index.index_url]


# Labels that nothing has

#: What is typed, and the label and the option that are proposed; None for none.
MISTYPED: Sequence[tuple[Sequence[str], str | None, str]] = [
    (["torch", "--variant=torch=cu126"], "cuda12.6", "torch=cuda12.6"),
    (["torch", "--variant=cu126"], "cuda12.6", "cuda12.6"),
    (["app", "--variant=torch=cu126"], "cuda12.6", "torch=cuda12.6"),
    (["torch", "--variant=torch=cpu"], "null", "torch=null"),
    # Another version of CUDA is no typing error.
    (["torch", "--variant=torch=cuda12.8"], None, ""),
]


@pytest.mark.parametrize(("typed", "label", "option"), MISTYPED, ids=str)
def test_a_mistyped_label_is_one_error(
    pip: Pip, torch: list[str], typed: Sequence[str], label: str | None, option: str
) -> None:
    result = pip("install", "--dry-run", *torch, *typed, env=GPU, code=1)
    said = typed[-1].rpartition("=")[2]
    first, _, hint = result.stderr.partition("\n\nhint: ")
    assert first == (
        f"error: nothing-to-install\n\n× No variant has the label '{said}'.\n"
        "╰─> torch 2.9.0 has null, cuda13.0, cuda12.6"
    )
    if label is None:
        assert hint.startswith("Choose another label with --variant torch=LABEL")
    else:
        assert hint == f"Did you mean '{label}'? --variant {option}\n"


# Keys that no command knows


def test_a_key_that_nobody_knows_is_reported_once(
    venv: Environment, torch: list[str]
) -> None:
    file = venv.work / "pip.conf"
    file.write_text("[global]\nstrict-varient = true\nvariant-host = cpu\nother = 1\n")
    environ = {"PIP_CONFIG_FILE": str(file), "PIP_VARIANT_HOSTS": "cpu"}
    result = venv.pip("install", "--dry-run", "app", *torch, env=environ)
    told = "WARNING: No command of pip has the option '{}', set in {}. Did you "
    assert sorted(result.stderr.splitlines()) == [
        f"{told.format('strict-varient', file)}mean 'strict-variants'?",
        f"{told.format('variant-hosts', 'PIP_VARIANT_HOSTS')}mean 'variant-host'?",
    ]


# Files that pip may not take

#: By package: how its file for cuda12.6 differs, further options, and why it is not taken.
WITHHELD: Mapping[str, tuple[Mapping[str, str], Sequence[str], str]] = {
    "yanked": ({"yanked": "slow kernels"}, [], "yanked (slow kernels)"),
    "late": (
        {"upload_time": "2025-06-01T00:00:00Z"},
        ["--uploaded-prior-to", "2025-01-01"],
        "uploaded on or after the date of --uploaded-prior-to (Upload time ",
    ),
    "python": (
        {"requires_python": ">=3.99"},
        [],
        "for other versions of Python (2.0 Requires-Python >=3.99)",
    ),
}


@pytest.fixture
def withheld(
    index: IndexServer, request: pytest.FixtureRequest
) -> tuple[list[str], str]:
    """Return options and the reason why pip does not take the best file of pkg 2.0."""
    changes, options, reason = WITHHELD[request.param]
    labels = {"cuda12.6": cuda("12.6"), "null": {}}
    for version in ("1.0", "2.0"):
        index.add_release("pkg", version, labels, plain=False)
    for entry in list(index.projects["pkg"]):
        index.replace(entry.file.filename, upload_time="2024-01-01T00:00:00Z")
    index.replace("pkg-2.0-py3-none-any-cuda12.6.whl", **changes)
    return ["--index-url", index.index_url, *options], reason


@pytest.mark.parametrize("withheld", WITHHELD, indirect=True)
def test_true_reasons(pip: Pip, withheld: tuple[list[str], str]) -> None:
    options, reason = withheld
    labels = [["--variant", "pkg=cuda12.6"], ["--variant", "cuda12.6"]]
    for label in labels:
        for command in (["install", "--dry-run"], ["variants", "explain"]):
            result = pip(*command, "pkg==2.0", *options, *label, env=GPU, code=1)
            assert result.stderr.startswith(
                "error: nothing-to-install\n\n× The variant 'cuda12.6' of pkg 2.0 "
                f"cannot be installed.\n╰─> {reason[0].upper()}{reason[1:]}"
            )
            assert "pkg 2.0 has null\n" in result.stderr
        result = pip("install", "--dry-run", "pkg", *options, *label, env=GPU)
        assert "Would install pkg-1.0 (cuda12.6)" in result.stdout
        assert (
            "WARNING: pip chose pkg 1.0 instead of 2.0: no installable variant 'cuda12.6', "
            f"which you requested; available: null; cuda12.6: {reason}"
        ) in result.stderr
    result = pip("variants", "list", "pkg", *options, env=GPU)
    assert reason.split(" (")[0] in " ".join(result.stdout.split())
    result = pip("variants", "explain", "pkg", *options, env=GPU)
    assert (
        f"Variants of pkg 2.0 that cannot be installed\n  cuda12.6: {reason}"
    ) in result.stdout


#: By package: the hint where no version is left.
REMEDIES = {
    "yanked": "To install a yanked version, pin it: pkg==VERSION.",
    "late": "Use a later date for --uploaded-prior-to, or choose another version.",
    "python": "Use a Python version that 'pkg' supports, or choose another version.",
}


@pytest.mark.parametrize("name", REMEDIES)
def test_no_file_is_left(pip: Pip, index: IndexServer, name: str) -> None:
    changes, options, reason = WITHHELD[name]
    index.add_release("pkg", "2.0", {"null": {}}, plain=False)
    index.replace("pkg-2.0-py3-none-any-null.whl", **changes)
    options = ["--index-url", index.index_url, *options]
    result = pip("install", "pkg", *options, env=GPU, code=1)
    assert "× No listed file of 'pkg' can be installed.\n" in result.stderr
    assert f"pkg 2.0: {reason}" in result.stderr
    assert f"hint: {REMEDIES[name]}\n" in result.stderr


# Older releases


@pytest.mark.parametrize("strict", [[], ["--strict-variants"]], ids=str)
@pytest.mark.parametrize("older", ["plain", "sdist", "variants"])
def test_an_older_release_is_one_warning(
    pip: Pip, index: IndexServer, older: str, strict: Sequence[str]
) -> None:
    index.add_release("pkg", "2.0", {"cuda13.0": cuda("13.0")}, plain=False)
    if older == "variants":
        index.add_release("pkg", "1.0", {"cuda12.6": cuda("12.6")}, plain=False)
    else:
        make = make_wheel if older == "plain" else make_sdist
        index.add(make("pkg", "1.0"))
    options = ["--index-url", index.index_url, *strict]
    result = pip("install", "--dry-run", "pkg", *options, env=OLDER_GPU)
    assert "Would install pkg-1.0" in result.stdout
    build = " (to be built from source)" if older == "sdist" else ""
    assert result.stderr.startswith(
        f"WARNING: pip chose pkg 1.0{build} instead of 2.0: cuda13.0 needs "
        "CUDA 13.0 (available: CUDA 12.8). "
        "To see all reasons: pip variants explain pkg "
    )
    assert len(result.stderr.splitlines()) == 1


def test_an_older_release_that_stays(venv: Environment, index: IndexServer) -> None:
    index.add(make_wheel("pkg", "1.0"))
    options = ["--index-url", index.index_url]
    venv.pip("install", "pkg", *options)
    index.add_release("pkg", "2.0", {"cuda13.0": cuda("13.0")}, plain=False)
    result = venv.pip("install", "pkg", *options, env=OLDER_GPU)
    assert result.stderr == ""
    result = venv.pip("install", "--upgrade", "pkg", *options, env=OLDER_GPU)
    assert "WARNING: pip keeps pkg 1.0 instead of 2.0: " in result.stderr


# Markers about variants

MARKED = 'app; "nvidia" in variant_namespaces'


@pytest.mark.parametrize("place", ["line", "-r", "-c", "group", "build"])
def test_markers_outside_of_metadata(
    venv: Environment, index: IndexServer, torch: list[str], place: str
) -> None:
    work = venv.work
    (work / "needs.txt").write_text(MARKED)
    (work / "pyproject.toml").write_text(f"[dependency-groups]\nx = ['{MARKED}']\n")
    index.add(make_sdist("mine", "1.0", build_requires=[MARKED]))
    given = {
        "line": [MARKED],
        "-r": ["-r", "needs.txt"],
        "-c": ["torch", "-c", "needs.txt"],
        "group": ["--group", "x"],
        "build": ["mine"],
    }[place]
    result = venv.pip("install", "--dry-run", *given, *torch, env=GPU)
    where = {
        "-r": " in needs.txt (line 1)",
        "-c": " in needs.txt (line 1)",
        "build": " in the build requirements",
    }.get(place, "")
    warning = (
        f"WARNING: '{MARKED}'{where} has a variant marker. Variant markers work only in the "
        "metadata of a variant wheel. Here, pip evaluates the marker as if there were no "
        "variant. To choose a variant: --variant PACKAGE=LABEL"
    )
    assert result.stderr.count(warning) == 1


# Folders


def test_upgrade_variants_replaces_what_is_in_a_target(
    venv: Environment, torch: list[str]
) -> None:
    command = ["install", "--target", str(venv.work / "target"), "torch", *torch]
    venv.pip(*command, env=GPU)
    switch = ["--upgrade-variants", "--variant", "torch=cuda12.6"]
    result = venv.pip(*command, *switch, env=GPU)
    assert "Successfully installed torch-2.9.0 (cuda12.6)" in result.stdout
    assert result.stderr == ""
    module = venv.work / "target" / "torch" / "__init__.py"
    assert "cuda12.6" in module.read_text()


# One rule for what is installed

BRIDGE = ["--pytorch-index-url"]


@pytest.mark.parametrize("package", ["torch", "app"])
@pytest.mark.parametrize(
    ("typed", "bridge"),
    [
        (["--variant", "torch=null"], []),
        (["--variant", "null"], []),
        (["--variant-host", "cpu"], []),
        pytest.param(["--cpuonly"], BRIDGE, marks=pytest.mark.pytorch),
        pytest.param(
            ["--pytorch-computation-backend", "cpu"], BRIDGE, marks=pytest.mark.pytorch
        ),
    ],
    ids=str,
)
def test_what_is_asked_for_replaces_what_is_installed(
    venv: Environment,
    torch: list[str],
    typed: Sequence[str],
    bridge: Sequence[str],
    package: str,
) -> None:
    if bridge:
        bridge = [*bridge, torch[-1]]
    venv.pip("install", "torch", *torch, "--variant=torch=cuda12.6", env=GPU)
    venv.pip("install", package, *torch, *typed, *bridge, env=GPU)
    assert venv.eval("torch.variant_label", "torch") == "null"
    # Nothing is left to do then.
    result = venv.pip("install", package, *torch, *typed, *bridge, env=GPU)
    assert "Installing" not in result.stdout


def test_a_configured_host_replaces_nothing(
    venv: Environment, torch: list[str]
) -> None:
    venv.pip("install", "torch", *torch, "--variant=torch=cuda12.6", env=GPU)
    environ = {**GPU, "PIP_VARIANT_HOST": "cpu"}
    result = venv.pip("install", "torch", *torch, env=environ)
    assert "Requirement already satisfied: torch" in result.stdout
