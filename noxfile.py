"""Sessions for developers: ``nox`` runs what a change must pass."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from tests.lib.interpreters import find_interpreters  # noqa: E402

BUILD = ROOT / "build"
INTERPRETERS = find_interpreters()
VERSIONS = sorted(INTERPRETERS, key=lambda each: [*map(int, each.split("."))])
OLDEST, NEWEST = VERSIONS[0], VERSIONS[-1]
# Let nox find interpreters that start as python3.x, and none of pyenv's shims.
os.environ["PATH"] = os.pathsep.join(
    [*(str(path.parent) for path in INTERPRETERS.values()), os.environ.get("PATH", "")]
)

TEST_TOOLS = [
    "pytest>=8",
    "trustme",
    "pytest-xdist",
    "hypothesis",
    "jsonschema",
    "virtualenv",
    "filelock",
    "tomli",
    "packaging==26.3",
]
# The libraries of the extra of wheel-variants.
PUBLISH_TOOLS = ["requests", "rich", "tomli", "truststore", "urllib3>=2.6"]
TEST_TOOLS += PUBLISH_TOOLS
REGISTRIES = ["bandersnatch", "devpi-client", "devpi-server", "proxpi", "pypiserver"]
BENCH_TOOLS = ["filelock", "matplotlib", "tomli", "trustme", "uv==0.13.9", "virtualenv"]
# What makes environments, for the carrier.
CARRIER_TOOLS = ["nox", "pipx", "tox"]
LINTERS = ["ruff", "mypy", "radon", "hatchling", "nox", "types-requests"]
# With the official schemas of CycloneDX.
RELEASE_TOOLS = ["build", "cyclonedx-python-lib[json-validation]", *PUBLISH_TOOLS]
# They look at the files alone, and ask nobody.
WORKFLOW_TOOLS = ["zizmor", "check-jsonschema"]
NEWS_TOOLS = ["towncrier>=24.8"]
# As upstream's pip has for its documentation.
DOCS_TOOLS = ["sphinx>=8", "myst-parser>=4", "furo"]
PYTEST = ["pytest", "--allowed-skips", "tests/allowed-skips.txt"]
CORE, UNIT, FUNCTIONAL = "core/tests", "tests/unit", "tests/functional"
# Three at a time: some wait, for a server that takes its time or for a plugin.
OTHERS = "not torch and not registries and not matrix and not release"
IN_PROCESS = ["-n", "3", "--in-process", "-m", OTHERS]

nox.needs_version = ">=2024.4.15"
nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_missing_interpreters = True
nox.options.sessions = ["test"]


@nox.session(venv_backend="none")
def test(session: nox.Session) -> None:
    """Run what a change must pass."""
    session.notify("lint")
    session.notify(f"unit-{NEWEST}", ["--first-cases", CORE, UNIT, FUNCTIONAL])
    session.notify("wheel", session.posargs)


@nox.session(venv_backend="none")
def rest(session: nox.Session) -> None:
    """Run the tests that `test` leaves out."""
    # The others have run in process, every case of them.
    on_wheel = f"({OTHERS}) and (process or on_wheel)"
    session.notify("functional", ["-m", on_wheel, FUNCTIONAL])
    others = [CORE, UNIT, FUNCTIONAL] if OLDEST != NEWEST else [FUNCTIONAL]
    session.notify(f"unit-{OLDEST}", others)
    session.notify("docs")


@nox.session
def assemble(session: nox.Session) -> None:
    """Write the assembled fork to build/assembled, for tests, mypy and editors."""
    _assemble(session)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and types."""
    session.install(*LINTERS, *TEST_TOOLS, *BENCH_TOOLS, *RELEASE_TOOLS, *NEWS_TOOLS)
    _assemble(session)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    overlay = [
        "pip._internal.variants",
        "pip._internal.fast",
        "pip._internal.console",
        "pip._internal.commands.variants",
        "pip._vendor.packaging._variants",
    ]
    packages = [*overlay, "pip_variants", "wheel_variants", "fork", "tools", "tests"]
    named = (part for package in packages for part in ("-p", package))
    session.run("mypy", "--num-workers=2", *named)
    shipped = [*overlay, "pip_variants", "wheel_variants"]
    for system in ("win32", "darwin"):
        parts = (part for package in shipped for part in ("-p", package))
        session.run("mypy", "--num-workers=2", "--platform", system, *parts)
    session.run("mypy", "noxfile.py", "carrier/hatch_build.py")
    session.run("python", "-m", "tools.complexity")
    session.run("python", "-m", "tools.words")
    # Fails if a fragment is not called as it should be.
    session.run("towncrier", "build", "--draft", "--version", "next", silent=True)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site in build/site, and fail on a warning or a link that leads nowhere."""
    session.install(*DOCS_TOOLS)
    _assemble(session)
    site = BUILD / "site"
    shutil.rmtree(site, ignore_errors=True)
    session.run(
        *("python", "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"),
        *("docs", str(site), *session.posargs),
    )
    session.log("the site is %s", site / "index.html")


@nox.session
def workflows(session: nox.Session) -> None:
    """Check what the repository's host runs: form, and what others could misuse."""
    session.install(*WORKFLOW_TOOLS)
    files = sorted(str(path) for path in Path(".github/workflows").glob("*.yml"))
    schema = ["--builtin-schema", "vendor.github-workflows"]
    session.run("check-jsonschema", *schema, *files)
    session.run("zizmor", "--offline", "--no-progress", "--pedantic", ".github")


@nox.session
def release(session: nox.Session) -> None:
    """Make all files of a release in build/release, and try them; --tag TAG checks it."""
    session.install(*RELEASE_TOOLS, *TEST_TOOLS)
    session.run("python", "-m", "tools.release", *session.posargs)
    folder = BUILD / "release"
    (wheel,) = folder.glob("pip-*.whl")
    session.run(
        *(*PYTEST, "-n", "2", "-m", "release", "tests/functional/test_release.py"),
        env={"PIP_VARIANTS_RELEASE": str(folder), "PIP_VARIANTS_WHEEL": str(wheel)},
    )


@nox.session
def news(session: nox.Session) -> None:
    """Make a section of NEWS.md of the fragments in news/, and delete them: VERSION."""
    if len(session.posargs) != 1:
        session.error("name the version that is released, as in: nox -s news -- 0.2.0")
    session.install(*NEWS_TOOLS)
    session.run("towncrier", "build", "--yes", "--version", *session.posargs)


@nox.session(name="upstream-newer")
def upstream_newer(session: nox.Session) -> None:
    """Look for a newer release of upstream's pip; fail, and report on it, if any."""
    session.install("packaging")
    session.run("python", "-m", "tools.upstream_newer")


@nox.session(python=list(INTERPRETERS))
def unit(session: nox.Session) -> None:
    """Run unit tests, and commands in the test's process, with the assembled fork."""
    session.install(*TEST_TOOLS, *RELEASE_TOOLS)
    _assemble(session)
    session.run(*PYTEST, *IN_PROCESS, *(session.posargs or [CORE, UNIT, FUNCTIONAL]))


@nox.session
@nox.parametrize("packaging", ["24.0", "26.4"])
def core(session: nox.Session, packaging: str) -> None:
    """Run the tests of the model with the oldest and newest packaging."""
    session.install("pytest>=8", "hypothesis", "tomli", f"packaging=={packaging}")
    publish = f"--ignore={CORE}/publish"
    session.run("pytest", "--noconftest", publish, CORE, *session.posargs)


@nox.session
@nox.parametrize("system", ["win32", "darwin"])
def systems(session: nox.Session, system: str) -> None:
    """Run `unit` with the fork's own modules rewritten as if on another system."""
    session.install(*TEST_TOOLS, *RELEASE_TOOLS)
    _assemble(session)
    tests = session.posargs or ["--first-cases", CORE, UNIT, FUNCTIONAL]
    session.run(
        *(*PYTEST, "-p", "tests.lib.as_system", "-n", "3", "--in-process"),
        *("-m", f"{OTHERS} and not linux", *tests),
        env={"AS_SYSTEM": system, "PYTHONPATH": str(ROOT)},
    )


@nox.session
def coverage(session: nox.Session) -> None:
    """Report the lines, branches and seams that the tests of `unit` do not reach."""
    session.install(*TEST_TOOLS, "coverage", "pytest-cov")
    _assemble(session)
    report = ["--cov", "--cov-report=term-missing:skip-covered"]
    tests = session.posargs or ["--all-seams", CORE, UNIT, FUNCTIONAL]
    session.run(*PYTEST, *IN_PROCESS, *report, *tests)


@nox.session(python=OLDEST)
def wheel(session: nox.Session) -> None:
    """Run what must be seen with the built wheel before a change is complete."""
    session.install(*TEST_TOOLS, "uv==0.13.9")
    # One interpreter: `functional` makes environments of each.
    code = "import sys; print(sys.executable, end='')"
    python = session.run("python", "-c", code, silent=True)
    chosen = ["-m", "on_wheel and not registry", f"--python={python}"]
    session.run(
        *(*PYTEST, "-n", "2", *chosen, *(session.posargs or [FUNCTIONAL])),
        env=_wheels(session),
    )


@nox.session
def functional(session: nox.Session) -> None:
    """Run the functional tests with the built wheel, all of them."""
    # What it is built with, as pinned, so that two ways to build it can be compared.
    hatchling = nox.project.load_toml("pyproject.toml")["build-system"]["requires"][0]
    tools = [*BENCH_TOOLS, *CARRIER_TOOLS, hatchling, "build"]
    session.install(*TEST_TOOLS, *tools)
    session.run(
        *(*PYTEST, "-n", "2", "-m", OTHERS),
        *(session.posargs or [FUNCTIONAL]),
        # uv is to trust what pip and the system trust.
        env={**_wheels(session), "UV_SYSTEM_CERTS": "1"},
    )


@nox.session(python="3.11")
def faults(session: nox.Session) -> None:
    """Make each kind of request fail in every way, and report the result."""
    session.install(*TEST_TOOLS)
    session.run(
        *PYTEST,
        *("-n", "2", "-rP", "-m", "matrix", "tests/functional", *session.posargs),
        env=_wheels(session),
    )


@nox.session(python="3.12")
def registries(session: nox.Session) -> None:
    """Install, lock and explain through devpi, pypiserver, proxpi and bandersnatch."""
    session.install(*TEST_TOOLS, *REGISTRIES)
    session.run(
        *PYTEST,
        *("-n", "2", "-m", "registries", "tests/functional", *session.posargs),
        env=_wheels(session),
    )


@nox.session(python="3.11")
def kills(session: nox.Session) -> None:
    """Kill upgrades at every moment, and tell what is left of the environment."""
    session.install("filelock", "virtualenv")
    session.run("python", "-m", "tools.kills", *session.posargs, env=_wheels(session))


@nox.session(python="3.11")
def torch(session: nox.Session) -> None:
    """Install real wheels of torch and torch-nntile under variant labels."""
    session.install(*TEST_TOOLS)
    folders = {name: BUILD / name for name in ("torch", "nntile")}
    download = ["python", "-m", "pip", "download", "-q"]
    session.run(*download, "-d", str(folders["torch"]), "torch==2.13.0")
    nntile = ["--no-deps", "--only-binary=:all:", "--python-version=3.12"]
    session.run(
        *(*download, *nntile, "-d", str(folders["nntile"]), "torch-nntile==0.1.0"),
        # Not every registry has it; then its test is skipped.
        success_codes=[0, 1],
    )
    named = {f"PIP_VARIANTS_{k.upper()}": str(path) for k, path in folders.items()}
    session.run(
        *PYTEST,
        *("-m", "torch", "tests/functional", *session.posargs),
        env={**_wheels(session), **named},
    )


@nox.session(python="3.11")
def differential(session: nox.Session) -> None:
    """Compare choices on random releases with an oracle, variantlib and uv."""
    session.install("variantlib==0.2.2", "uv==0.13.9", "filelock")
    _assemble(session)
    _run_tool(session, "tools.differential")


@nox.session(python="3.11")
def guard(session: nox.Session) -> None:
    """Compare what a wheel of an earlier commit and this one decide: OLD_WHEEL."""
    session.install(*TEST_TOOLS)
    if not session.posargs:
        session.error("name the wheel to compare with: nox -s guard -- OLD_WHEEL")
    old, *options = session.posargs
    new = _wheels(session)["PIP_VARIANTS_WHEEL"]
    session.run("python", "-m", "tools.guard", old, new, *options)


@nox.session(python="3.11")
def conformance(session: nox.Session) -> None:
    """Run the conformance cases against core, the fork, variantlib and uv."""
    session.install("variantlib==0.2.2", "uv==0.13.9", "filelock", "packaging==26.3")
    _assemble(session)
    _run_tool(session, "tools.conformance")


@nox.session
def bench(session: nox.Session) -> None:
    """Measure the fork beside stock pip and uv."""
    session.install(*BENCH_TOOLS)
    session.run("python", "-m", "tools.bench", *session.posargs, env=_wheels(session))


@nox.session(python="3.11", reuse_venv=True)
def upstream(session: nox.Session) -> None:
    """Run a cell of upstream's own tests: CHECKOUT unit|functional [--help]."""
    wheels = _wheels(session)
    fork, release = wheels["PIP_VARIANTS_WHEEL"], wheels["PIP_UPSTREAM_WHEEL"]
    built = ["--fork", fork, "--release", release]
    session.run("python", "-m", "tools.upstream", *session.posargs, *built)


@nox.session(name="upstream-compare", python="3.11", reuse_venv=True)
def upstream_compare(session: nox.Session) -> None:
    """Compare what the cells of upstream's tests came to, fork and release."""
    session.run("python", "-m", "tools.upstream.compare", *session.posargs)


@nox.session
def locks(session: nox.Session) -> None:
    """Compare what machines install from lock files with what the index gives them."""
    session.install(*TEST_TOOLS)
    _assemble(session)
    _run_tool(session, "tools.locks")


@nox.session
def machines(session: nox.Session) -> None:
    """Compare what pip takes for other machines with what these take."""
    session.install(*TEST_TOOLS)
    _assemble(session)
    session.run("python", "-m", "tools.machines", *session.posargs)


@nox.session
def mutants(session: nox.Session) -> None:
    """Plant a fault in each mechanism; a test must find it."""
    session.install(*TEST_TOOLS)
    _assemble(session)
    session.run("python", "-m", "tools.mutants", *session.posargs)


@nox.session
def modes(session: nox.Session) -> None:
    """Take each mode out of a copy, and run the tests of all else."""
    session.install(*TEST_TOOLS)
    _assemble(session)
    session.run("python", "-m", "tools.without_mode", *session.posargs)


@nox.session(python="3.11")
def fuzz(session: nox.Session) -> None:
    """Feed hostile input to whatever reads what others wrote."""
    session.install("atheris", *TEST_TOOLS)
    _assemble(session)
    _run_tool(session, "tools.fuzz")


def _run_tool(session: nox.Session, module: str, *arguments: str) -> None:
    """Run a module of this repository with core, and with the assembled fork as its pip."""
    path = os.pathsep.join([str(BUILD / "assembled"), str(ROOT / "core" / "src")])
    session.run(
        *("python", "-m", module, *arguments, *session.posargs),
        env={"PYTHONPATH": path},
    )


def _assemble(session: nox.Session) -> None:
    requirements = nox.project.load_toml("pyproject.toml")["build-system"]["requires"]
    folder, stamp = BUILD / "requirements", BUILD / "requirements.txt"
    wanted = "\n".join(requirements)
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        install = ["python", "-m", "pip", "install", "-q", "--no-deps", "--no-compile"]
        session.run(*install, "--target", str(folder), *requirements)
        stamp.write_text(wanted, encoding="utf-8")
    session.run("python", "-m", "fork", "assemble", "--from", str(folder))


def _wheels(session: nox.Session) -> dict[str, str]:
    """Return variables that name the wheels of the fork, stock pip and wheel-variants."""
    pins = nox.project.load_toml("pyproject.toml")["build-system"]["requires"]
    (upstream,) = (pin for pin in pins if pin.startswith("pip="))
    wheels = {}
    for variable, name, requirement in (
        ("PIP_VARIANTS_WHEEL", "fork", "."),
        ("PIP_UPSTREAM_WHEEL", "upstream", upstream),
        ("WHEEL_VARIANTS_WHEEL", "core", "./core"),
    ):
        folder = BUILD / f"{name}-wheel"
        shutil.rmtree(folder, ignore_errors=True)
        session.run(
            *("python", "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder)),
            requirement,
        )
        (wheel,) = folder.glob("*.whl")
        wheels[variable] = str(wheel)
    return wheels
