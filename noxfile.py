"""Sessions for developers: ``nox`` runs the checks that a change must pass."""

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
# Let nox find interpreters named python3.x, but no pyenv shims.
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
# The tools that create environments, for the carrier's tests.
CARRIER_TOOLS = ["nox", "pipx", "tox"]
LINTERS = ["ruff", "mypy", "radon", "hatchling", "nox", "types-requests"]
# The build tools, and the official schemas of CycloneDX.
RELEASE_TOOLS = ["build", "cyclonedx-python-lib[json-validation]", *PUBLISH_TOOLS]
# These tools only read files, and need no network.
WORKFLOW_TOOLS = ["zizmor", "check-jsonschema"]
NEWS_TOOLS = ["towncrier>=24.8"]
# The same tools as upstream's documentation.
DOCS_TOOLS = ["sphinx>=8", "myst-parser>=4", "furo"]
PYTEST = ["pytest", "--allowed-skips", "tests/allowed-skips.txt"]
CORE, UNIT, FUNCTIONAL = "core/tests", "tests/unit", "tests/functional"
# Three tests at a time: some wait for a slow server or for a plugin.
OTHERS = "not torch and not registries and not matrix and not release"
IN_PROCESS = ["-n", "3", "--in-process", "-m", OTHERS]

nox.needs_version = ">=2024.4.15"
nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_missing_interpreters = True
nox.options.sessions = ["test"]


@nox.session(venv_backend="none")
def test(session: nox.Session) -> None:
    """Run the checks that a change must pass."""
    session.notify("lint")
    session.notify(f"unit-{NEWEST}", ["--first-cases", CORE, UNIT, FUNCTIONAL])
    session.notify("wheel", session.posargs)


@nox.session(venv_backend="none")
def rest(session: nox.Session) -> None:
    """Run the tests that `test` leaves out."""
    # The in-process run has covered every case of the other tests.
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
    # This command fails if the name of a fragment is wrong.
    session.run("towncrier", "build", "--draft", "--version", "next", silent=True)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site in build/site, and fail on a warning or a broken link."""
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
    """Check the workflow files of the repository's host: format and security."""
    session.install(*WORKFLOW_TOOLS)
    files = sorted(str(path) for path in Path(".github/workflows").glob("*.yml"))
    schema = ["--builtin-schema", "vendor.github-workflows"]
    session.run("check-jsonschema", *schema, *files)
    session.run("zizmor", "--offline", "--no-progress", "--pedantic", ".github")


@nox.session
def release(session: nox.Session) -> None:
    """Make all files of a release in build/release, and test them; --tag TAG checks the tag."""
    session.install(*RELEASE_TOOLS, *TEST_TOOLS)
    session.run("python", "-m", "tools.release", *session.posargs)
    folder = BUILD / "release"
    (wheel,) = folder.glob("pip-*.whl")
    session.run(
        *(*PYTEST, "-n", "2", "-m", "release", "tests/functional/test_release.py"),
        env={"PIP_VARIANTS_RELEASE": str(folder), "FORK_WHEEL": str(wheel)},
    )


@nox.session
def news(session: nox.Session) -> None:
    """Write a section of NEWS.md from the fragments in news/, and delete them: VERSION."""
    if len(session.posargs) != 1:
        session.error("name the version that is released, as in: nox -s news -- 0.2.0")
    session.install(*NEWS_TOOLS)
    session.run("towncrier", "build", "--yes", "--version", *session.posargs)


@nox.session(name="upstream-newer")
def upstream_newer(session: nox.Session) -> None:
    """Look for a newer release of upstream's pip; fail with a report if there is one."""
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
    """Report the lines, branches and seams that the `unit` session does not reach."""
    session.install(*TEST_TOOLS, "coverage", "pytest-cov")
    _assemble(session)
    report = ["--cov", "--cov-report=term-missing:skip-covered"]
    tests = session.posargs or ["--all-seams", CORE, UNIT, FUNCTIONAL]
    session.run(*PYTEST, *IN_PROCESS, *report, *tests)


@nox.session(python=OLDEST)
def wheel(session: nox.Session) -> None:
    """Run the tests that need the built wheel, before a change is complete."""
    session.install(*TEST_TOOLS, "uv==0.13.9")
    _assemble(session)
    # One interpreter: `functional` creates environments for each.
    code = "import sys; print(sys.executable, end='')"
    python = session.run("python", "-c", code, silent=True)
    chosen = ["-m", "on_wheel and not registry", f"--python={python}"]
    session.run(
        *(*PYTEST, "-n", "2", *chosen, *(session.posargs or [FUNCTIONAL])),
        env=_wheels(session),
    )


@nox.session
def functional(session: nox.Session) -> None:
    """Run all functional tests with the built wheel."""
    # Pin the build backend, so that two ways to build the wheel can be compared.
    hatchling = nox.project.load_toml("pyproject.toml")["build-system"]["requires"][0]
    tools = [*BENCH_TOOLS, *CARRIER_TOOLS, hatchling, "build"]
    session.install(*TEST_TOOLS, *tools)
    _assemble(session)
    session.run(
        *(*PYTEST, "-n", "2", "-m", OTHERS),
        *(session.posargs or [FUNCTIONAL]),
        # Make uv trust the certificates that pip and the system trust.
        env={**_wheels(session), "UV_SYSTEM_CERTS": "1"},
    )


@nox.session(python="3.11")
def faults(session: nox.Session) -> None:
    """Make each kind of request fail in every way, and report the result."""
    session.install(*TEST_TOOLS)
    _assemble(session)
    session.run(
        *PYTEST,
        *("-n", "2", "-rP", "-m", "matrix", "tests/functional", *session.posargs),
        env=_wheels(session),
    )


@nox.session(python="3.12")
def registries(session: nox.Session) -> None:
    """Install, lock and explain through devpi, pypiserver, proxpi and bandersnatch."""
    session.install(*TEST_TOOLS, *REGISTRIES)
    _assemble(session)
    session.run(
        *PYTEST,
        *("-n", "2", "-m", "registries", "tests/functional", *session.posargs),
        env=_wheels(session),
    )


@nox.session(python="3.11")
def kills(session: nox.Session) -> None:
    """Kill upgrades at every moment, and report the state of the environment."""
    session.install("filelock", "virtualenv")
    session.run("python", "-m", "tools.kills", *session.posargs, env=_wheels(session))


@nox.session(python="3.11")
def torch(session: nox.Session) -> None:
    """Install real wheels of torch and torch-nntile under variant labels."""
    session.install(*TEST_TOOLS)
    _assemble(session)
    folders = {name: BUILD / name for name in ("torch", "nntile")}
    download = ["python", "-m", "pip", "download", "-q"]
    session.run(*download, "-d", str(folders["torch"]), "torch==2.13.0")
    nntile = ["--no-deps", "--only-binary=:all:", "--python-version=3.12"]
    session.run(
        *(*download, *nntile, "-d", str(folders["nntile"]), "torch-nntile==0.1.0"),
        # Some registries do not have torch; then its test is skipped.
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
    """Compare selections on random releases with an oracle, variantlib and uv."""
    session.install("variantlib==0.2.2", "uv==0.13.9", "filelock")
    _assemble(session)
    _run_tool(session, "tools.differential")


@nox.session(python="3.11")
def guard(session: nox.Session) -> None:
    """Compare the decisions of an earlier commit's wheel and this one: OLD_WHEEL."""
    session.install(*TEST_TOOLS)
    if not session.posargs:
        session.error("name the wheel to compare with: nox -s guard -- OLD_WHEEL")
    old, *options = session.posargs
    new = _wheels(session)["FORK_WHEEL"]
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
    fork, release = wheels["FORK_WHEEL"], wheels["PIP_UPSTREAM_WHEEL"]
    built = ["--fork", fork, "--release", release]
    session.run("python", "-m", "tools.upstream", *session.posargs, *built)


@nox.session(name="upstream-compare", python="3.11", reuse_venv=True)
def upstream_compare(session: nox.Session) -> None:
    """Compare the results of upstream's tests: the fork and the release."""
    session.run("python", "-m", "tools.upstream.compare", *session.posargs)


@nox.session
def locks(session: nox.Session) -> None:
    """Compare what machines install from lock files and from the index."""
    session.install(*TEST_TOOLS)
    _assemble(session)
    _run_tool(session, "tools.locks")


@nox.session
def machines(session: nox.Session) -> None:
    """Compare pip's results for other machines with the results on those machines."""
    session.install(*TEST_TOOLS)
    _assemble(session)
    session.run("python", "-m", "tools.machines", *session.posargs)


@nox.session
def mutants(session: nox.Session) -> None:
    """Introduce a fault into each mechanism; a test must find the fault."""
    session.install(*TEST_TOOLS)
    _assemble(session)
    session.run("python", "-m", "tools.mutants", *session.posargs)


@nox.session
def modes(session: nox.Session) -> None:
    """Remove each mode from a copy, and run the remaining tests."""
    session.install(*TEST_TOOLS)
    _assemble(session)
    session.run("python", "-m", "tools.without_mode", *session.posargs)


@nox.session(python="3.11")
def fuzz(session: nox.Session) -> None:
    """Feed hostile input to all parsers of external data."""
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
        # With --install-only, nox runs nothing.
        if session.run(*install, "--target", str(folder), *requirements):
            stamp.write_text(wanted, encoding="utf-8")
    session.run("python", "-m", "fork", "assemble", "--from", str(folder))


def _wheels(session: nox.Session) -> dict[str, str]:
    """Return variables that name the wheels of the fork, stock pip and wheel-variants."""
    pins = nox.project.load_toml("pyproject.toml")["build-system"]["requires"]
    (upstream,) = (pin for pin in pins if pin.startswith("pip="))
    wheels = {}
    for variable, name, requirement in (
        ("FORK_WHEEL", "fork", "."),
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
