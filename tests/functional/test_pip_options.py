"""Options that pip has anyway: what they mean for plain wheels, they mean for variants.

Each scenario runs in the fork on an index with variants, and in stock pip on an
index where each release with variants has one plain wheel in their place. Both must
take the same release, as a wheel or as an sdist, or both must fail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.interpreters import find_interpreters
from tests.lib.manifests import cuda
from tests.lib.modes import on_wheel
from tests.lib.wheels import make_sdist, make_wheel

pytestmark = pytest.mark.process

GPU = forced("12.8")
VARIANTS = {
    "cu128": cuda("12.8"),
    "cu126": cuda("12.6"),
    "cu130": cuda("13.0"),
    "null": {},
}
_OLD, _NEW = "2025-01-01T00:00:00Z", "2025-09-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Scenario:
    """What is installed, and what comes of it on a machine with CUDA 12.8.

    Texts may hold ``{sha_LABEL}`` and ``{url_LABEL}`` of wheels of torch 2.0;
    ``plain`` is the label of the plain one.

    :param takes: the file that is taken; with ``fails``, None.
    :param fails: what the error says.
    :param upstream: whether stock pip does the same with plain wheels.
    """

    arguments: Sequence[str] = ()
    requirements: str = ""
    constraints: str = ""
    takes: str | None = None
    fails: str = ""
    upstream: bool = True


def _sha(*labels: str) -> str:
    return " ".join(f"--hash=sha256:{{sha_{label}}}" for label in labels)


_TORCH = "torch-{}-py3-none-any-{}.whl"

SCENARIOS: Mapping[str, Scenario] = {
    # Hashes
    "hash of one label": Scenario(
        requirements=f"torch==2.0 {_sha('cu126')}", takes=_TORCH.format("2.0", "cu126")
    ),
    "hashes of several labels": Scenario(
        requirements=f"torch==2.0 {_sha('null', 'cu126')}",
        takes=_TORCH.format("2.0", "cu126"),
    ),
    "hashes of a plain wheel and of a label that does not run": Scenario(
        requirements=f"torch==2.0 {_sha('cu130', 'plain')}",
        takes="torch-2.0-py3-none-any.whl",
    ),
    "hash of a label that does not run": Scenario(
        requirements=f"torch==2.0 {_sha('cu130')}",
        fails="cu126: no file with an allowed hash",
        upstream=False,
    ),
    "hash of another label than the chosen one": Scenario(
        ["--variant", "torch=cu128"],
        requirements=f"torch==2.0 {_sha('cu126')}",
        fails="No file with an allowed hash.",
        upstream=False,
    ),
    "hash in constraints": Scenario(
        ["torch"],
        constraints=f"torch==2.0 {_sha('cu126')}",
        takes=_TORCH.format("2.0", "cu126"),
    ),
    # Constraints
    "URL and hash in constraints": Scenario(
        ["torch"],
        constraints="torch @ {url_cu126}#sha256={sha_cu126}",
        takes=_TORCH.format("2.0", "cu126"),
    ),
    # Kinds of files
    "no binaries": Scenario(
        ["torch", "--no-binary", "torch"], takes="torch-2.0.tar.gz"
    ),
    "no binaries and a label": Scenario(
        ["torch", "--no-binary", "torch", "--variant", "torch=cu126"],
        fails="No file of an allowed kind",
        upstream=False,
    ),
    "only binaries": Scenario(
        ["mixed", "--only-binary", ":all:"], takes="mixed-1.0-py3-none-any-cu128.whl"
    ),
    "rather binaries": Scenario(
        ["mixed", "--prefer-binary"], takes="mixed-1.0-py3-none-any-cu128.whl"
    ),
    # Versions
    "pre-releases": Scenario(
        ["torch", "--pre"], takes=_TORCH.format("3.0rc1", "cu128")
    ),
    "only pre-releases": Scenario(["torch>2"], takes=_TORCH.format("3.0rc1", "cu128")),
    "uploaded before": Scenario(
        ["dated", "--uploaded-prior-to", "2025-05-01"],
        takes="dated-1.0-py3-none-any-cu126.whl",
    ),
    "uploaded never": Scenario(
        ["dated", "--uploaded-prior-to", "2020-01-01"],
        fails="uploaded on or after the date of --uploaded-prior-to",
        upstream=False,
    ),
    "a yanked release": Scenario(["yanked"], takes="yanked-1.0-py3-none-any-cu126.whl"),
    "a release for another Python": Scenario(
        ["future"], takes="future-1.0-py3-none-any-cu126.whl"
    ),
    # The rest
    "metadata of a part of the wheel": Scenario(
        ["torch", "--use-feature=fast-deps"], takes=_TORCH.format("2.0", "cu128")
    ),
}


def _fill(index: IndexServer, *, variants: bool) -> None:
    def release(name: str, version: str, *, plain: bool = False) -> list[str]:
        if variants:
            index.add_release(name, version, VARIANTS, plain=plain)
        else:
            index.add(make_wheel(name, version))
        return [
            entry.file.filename
            for entry in index.projects[name]
            if entry.file.version == version
        ]

    release("torch", "1.0")
    release("torch", "2.0", plain=True)
    release("torch", "3.0rc1")
    index.add(make_sdist("torch", "2.0"))
    release("mixed", "1.0")
    for version in ("1.0", "2.0"):
        index.add(make_sdist("mixed", version))
    for version, uploaded in (("1.0", _OLD), ("2.0", _NEW)):
        for filename in release("dated", version):
            # A manifest that was uploaded too late counts as missing.
            late = "cu128" in filename or filename.endswith(".json")
            index.replace(filename, upload_time=_NEW if late else uploaded)
    # What a link says counts for its wheel alone, and for no manifest.
    release("yanked", "1.0")
    release("future", "1.0")
    if variants:
        index.replace("yanked-1.0-py3-none-any-cu128.whl", yanked="broken")
        index.replace("yanked-1.0-variants.json", yanked="broken")
        index.replace("future-1.0-py3-none-any-cu128.whl", requires_python="<3")
        index.replace("future-1.0-variants.json", requires_python="<3")
    for filename in release("yanked", "2.0"):
        index.replace(filename, yanked="")
    for filename in release("future", "2.0"):
        index.replace(filename, requires_python="<3")


def _values(index: IndexServer, *, variants: bool) -> dict[str, str]:
    values = {}
    for label in (*VARIANTS, "plain"):
        suffix = "" if label == "plain" or not variants else f"-{label}"
        filename = f"torch-2.0-py3-none-any{suffix}.whl"
        entry = next(e for e in index.projects["torch"] if e.file.filename == filename)
        values[f"sha_{label}"] = entry.file.sha256
        values[f"url_{label}"] = index.file_url(filename)
    return values


def _run(
    environment: Environment, index: IndexServer, scenario: Scenario, *, variants: bool
) -> tuple[Result, str | None]:
    """Run a scenario without installing; give the name of the file that is taken."""
    index.page_format = "json"
    _fill(index, variants=variants)
    values = _values(index, variants=variants)
    command = ["install", "--dry-run", "--quiet", "--report", "report.json"]
    for option, text in (("-r", scenario.requirements), ("-c", scenario.constraints)):
        if text:
            path = environment.work / f"file{option}.txt"
            path.write_text(text.format(**values), encoding="utf-8")
            command += [option, path.name]
    result = environment.pip(
        *(*command, *scenario.arguments, "--no-build-isolation"),
        *("-i", index.index_url),
        env=GPU,
        code=None,
    )
    if result.returncode != 0:
        return result, None
    report = json.loads((environment.work / "report.json").read_text(encoding="utf-8"))
    (installed,) = report["install"]
    return result, unquote(installed["download_info"]["url"]).rpartition("/")[2]


@pytest.mark.parametrize(
    "name", on_wheel(SCENARIOS, {"hash of one label", "no binaries", "uploaded before"})
)
def test_scenario(
    name: str,
    venv: Environment,
    upstream_venv: Environment,
    make_index: Callable[[], IndexServer],
) -> None:
    scenario = SCENARIOS[name]
    result, taken = _run(venv, make_index(), scenario, variants=True)
    assert taken == scenario.takes, str(result)
    assert scenario.fails in result.stderr, str(result)
    if scenario.upstream:
        result, upstreams = _run(upstream_venv, make_index(), scenario, variants=False)
        plain = None if taken is None else re.sub(r"-(cu\d+|null)\.whl$", ".whl", taken)
        assert upstreams == plain, str(result)
        assert scenario.fails in result.stderr, str(result)


# The cache of wheels that pip built


def _cached(environment: Environment) -> Path:
    """Return the one wheel in pip's cache of wheels."""
    (wheel,) = environment.home.rglob("wheels/**/*.whl")
    return wheel


@pytest.fixture
def built(venv: Environment, index: IndexServer) -> list[str]:
    """Build a wheel into the cache; return the command that did it."""
    index.add(make_sdist("made", "1.0"))
    command = ["install", "made", "-i", index.index_url, "--no-build-isolation"]
    assert "Building wheel for made" in venv.pip(*command).stdout
    assert _cached(venv).name == "made-1.0-py3-none-any.whl"
    return [*command, "--force-reinstall"]


def test_a_variant_wins_over_a_cached_wheel(
    venv: Environment, index: IndexServer, built: list[str]
) -> None:
    assert "Using cached made-1.0-py3-none-any.whl" in venv.pip(*built).stdout
    index.add_release("made", "1.0", {"cu128": cuda("12.8")}, plain=False)
    venv.pip(*built, env=GPU)
    assert venv.eval("made.variant_label", "made") == "cu128"
    # Where no variant runs, the source is next, and with it what was built of it.
    result = venv.pip(*built, env=forced("12.0"))
    assert "Using made 1.0, source distribution" in result.stdout
    assert "WARNING: made 1.0 has no variant metadata" in result.stderr
    assert "Using cached made-1.0-py3-none-any.whl" in result.stdout
    listed = venv.pip("cache", "list").stdout
    assert "made-1.0-py3-none-any.whl" in listed
    assert "cu128" not in listed


def test_a_cached_wheel_with_a_label_is_not_reused(
    venv: Environment, built: list[str]
) -> None:
    plain = _cached(venv)
    labeled = plain.rename(plain.with_name("made-1.0-py3-none-any-cu128.whl"))
    result = venv.pip(*built, env=GPU)
    assert "Using cached made" not in result.stdout
    assert "Building wheel for made" in result.stdout
    listed = venv.pip("cache", "list").stdout
    assert plain.name in listed
    assert labeled.name in listed
    venv.pip("cache", "remove", "made")
    assert "No locally built wheels cached." in venv.pip("cache", "list").stdout


# Where pip runs, and for which interpreter


def test_another_interpreter(venv: Environment, index: IndexServer) -> None:
    _fill(index, variants=True)
    found = find_interpreters()
    others = [each for version, each in found.items() if version != _version(venv)]
    other = Environment(venv.root / "other")
    other.venv.parent.mkdir()
    venv.run(
        others[0] if others else venv.python, "-m", "venv", "--without-pip", other.venv
    )
    options = ["install", "torch", "-i", index.index_url]
    result = venv.pip("--python", other.venv, *options, env=GPU)
    assert "Using torch 2.0, variant cu128" in result.stdout
    result = venv.run(other.python, "-c", "import torch; print(torch.variant_label)")
    assert result.stdout == "cu128\n"
    assert "torch" not in venv.installed()
    result = venv.pip("--python", other.venv, "variants", "host", env=GPU)
    assert "nvidia" in result.stdout


def _version(environment: Environment) -> str:
    return environment.eval("'%d.%d' % sys.version_info[:2]")
