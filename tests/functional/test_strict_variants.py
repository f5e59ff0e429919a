"""``--strict-variants``: what would cost a variant with a warning is an error instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.faults import make_fault
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, cuda, make_manifest, manifest_file
from tests.lib.wheels import make_sdist, make_wheel

STRICT = "--strict-variants"
MANIFEST = "torch-2.8.0-variants.json"
MANIFEST_PATH = f"/files/{MANIFEST}"
GPU_WHEEL = "torch-2.8.0-py3-none-any-gpu.whl"
GPU = forced("12.8")
VARIANTS = {"gpu": cuda("12.8"), "null": {}}
NULL = "Using torch 2.8.0, variant null"

CUDA = "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION"
SM = "NV_VARIANT_PROVIDER_FORCE_SM_ARCH"

PLUGIN = "npu-variant-provider"
TRUST = ("--trust-variant-provider", PLUGIN)
GOOD = """\
class Feature:
    name, values, multi_value = "kind", ["b1"], False

def get_supported_configs():
    return [Feature]
"""

WITHOUT_MANIFEST = (
    "To let pip choose, use an index with a valid manifest (--index-url URL), or a "
    "folder of wheels (--find-links DIR)"
)
DISABLE = "To ignore 'npu': --disable-variant-provider npu"


@dataclass(frozen=True)
class Cause:
    """What would cost a variant.

    :param prepare: makes an index that has it.
    :param reason: what the error says of it; ``{index}`` is the address of the index.
    :param hints: what the error says to type.
    :param lost: what of torch 2.8.0 is lost.
    :param follows: what the error says pip does without the option.
    :param otherwise: what is chosen without the option.
    :param warning: how pip warns then; empty for not at all.
    :param options: that the cause takes.
    """

    prepare: Callable[[IndexServer], object]
    reason: str
    hints: tuple[str, ...]
    lost: str = "variant wheels"
    follows: str = "chooses among other wheels"
    otherwise: str = "Using torch 2.8.0, plain wheel"
    warning: str = "Ignoring the {lost} of torch 2.8.0: {reason}. {hints}"
    options: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def error(self) -> str:
        """Return all that is said, on a terminal wide enough."""
        hints = "\n      ".join(self.hints)
        return (
            f"error: variant-lost\n\n× pip would ignore the {self.lost} of torch 2.8.0.\n"
            f"╰─> {self.reason}\n\nnote: {STRICT} makes this an error; otherwise, pip "
            f"{self.follows}.\nhint: {hints}\n"
        )


def add_torch(index: IndexServer, **more: Any) -> None:
    """Add a release with a variant for a GPU, a null variant and a plain build."""
    index.add_release("torch", "2.8.0", VARIANTS, **more)


def failing(name: str) -> Callable[[IndexServer], None]:
    """Return what makes an index on which the manifest fails in a way."""

    def prepare(index: IndexServer) -> None:
        add_torch(index)
        index.faults[MANIFEST_PATH] = make_fault(name, MANIFEST_PATH, index.url)

    return prepare


def of_manifest(
    fault: str | Callable[[IndexServer], object], problem: str, *hints: str
) -> Cause:
    """Return a cause that is a manifest of no use."""
    where = "{index}" + MANIFEST_PATH
    prepare = failing(fault) if isinstance(fault, str) else fault
    reason = f"the variants manifest cannot be used: {problem} ({where})"
    return Cause(prepare, reason, hints)


def with_manifest(content: bytes) -> Callable[[IndexServer], None]:
    """Return what makes an index with these bytes for a manifest."""

    def prepare(index: IndexServer) -> None:
        add_torch(index, listed=False)
        index.add(manifest_file("torch", "2.8.0", content))

    return prepare


def with_plugin(
    code: str | None, requires: Sequence[str] = ()
) -> Callable[[IndexServer], None]:
    """Return what makes an index with variants that only a plugin knows to judge."""

    def prepare(index: IndexServer) -> None:
        manifest = make_manifest(
            {"npu1": ["npu :: kind :: b1"], "npu2": ["npu :: kind :: b2"]},
            providers={"npu": PluginSpec([f"{PLUGIN}>=1"], "npu_plugin")},
        )
        index.add_release("torch", "2.8.0", {}, manifest=manifest)
        if code is not None:
            files = {"npu_plugin.py": code}
            index.add(make_wheel(PLUGIN, "1.0", files=files, requires=requires))

    return prepare


def of_plugin(
    prepare: Callable[[IndexServer], None], reason: str, *hints: str
) -> Cause:
    """Return a cause that is a plugin that gives no answer or is not trusted."""
    lost, follows = "variants 'npu2', 'npu1'", "gives a warning"
    options = () if PLUGIN in str(hints) else TRUST
    return Cause(prepare, reason, (*hints, DISABLE), lost, follows, options=options)


def of_hardware(reason: str, *options: str, driver: str = "") -> Cause:
    """Return a cause that is a GPU about which nothing is known."""
    hints = ("To ignore 'nvidia': --disable-variant-provider nvidia",)
    return Cause(
        *(add_torch, reason, hints, "variant 'gpu'", "gives a warning", NULL, reason),
        options=options,
        environ={CUDA: driver, SM: ""},
    )


def untrusted(name: str) -> tuple[str, str]:
    """Return the reason and the hint if a package is not trusted."""
    return (
        f"the check requires {name}, which you have not trusted",
        f"To run {name} with your permissions: --trust-variant-provider {name}",
    )


def without_manifest(index: IndexServer) -> None:
    """Make an index where the wheels speak for themselves, and one cannot."""
    add_torch(index, listed=False)
    path = f"/files/{GPU_WHEEL}"
    index.faults[path] = make_fault("403", path, index.url, methods=["HEAD"])


def disagreeing(index: IndexServer) -> None:
    """Make an index with a wheel that says other than its manifest what it needs."""
    add_torch(index)
    # So what the wheel says is known while the resolver runs.
    index.pages.core_metadata = False
    other = make_manifest({"gpu": cuda("12.0")})
    index.add(make_wheel("torch", "2.8.0", label="gpu", variant_json=other))


BROKEN = ("Ask the operator of the index to fix the manifest", WITHOUT_MANIFEST)
UNKNOWN_HARDWARE = (
    "The hardware of the target machine is unknown, so pip uses only variants "
    "without hardware requirements. To describe the hardware, use --variant-host"
)
INVALID = (
    f"{CUDA} is invalid, so pip ignores that feature: expected a CUDA version up to "
    "50.99, such as '12.8', got 'x'"
)

CAUSES: Mapping[str, Cause] = {
    "403": of_manifest(
        "403",
        "the server answered 403 Forbidden",
        "If the index requires a password, add the password to the URL of the index, a .netrc file or "
        "a keyring",
        WITHOUT_MANIFEST,
    ),
    "timeout": of_manifest(
        "stalled", "127.0.0.1 didn't respond within 2.0 seconds", "Try again"
    ),
    "a wrong hash": of_manifest(
        "an error page", "its hash does not match the one on the index", *BROKEN
    ),
    "no JSON": of_manifest(
        with_manifest(b"<html>"),
        "not valid JSON (Expecting value: line 1 column 1 (char 0))",
        *BROKEN,
    ),
    "too large": of_manifest(
        with_manifest(b" " * (3 << 20)), "larger than 2 MiB", *BROKEN
    ),
    "missing": Cause(
        failing("404"),
        "the variants manifest is missing: the server answered 404 Not Found "
        f"({{index}}{MANIFEST_PATH})",
        (WITHOUT_MANIFEST,),
        follows="reads the wheels instead",
        otherwise="Using torch 2.8.0, variant gpu",
        warning="",
    ),
    "a wheel that cannot be read": Cause(
        without_manifest,
        f"{GPU_WHEEL} cannot be read: the server answered 403 Forbidden",
        (WITHOUT_MANIFEST,),
        "variant 'gpu'",
        otherwise=NULL,
    ),
    "a plugin that fails": of_plugin(
        with_plugin("1 / 0"),
        f"The plugin {PLUGIN}: it failed: ZeroDivisionError: division by zero (-v shows "
        "where)",
    ),
    "a plugin that is nowhere": of_plugin(
        with_plugin(None),
        f"The plugin {PLUGIN}: it cannot be installed from {{index}}/simple/: No "
        f"matching distribution found for {PLUGIN}>=1. Constraints, "
        "--uploaded-prior-to, --pre and --all-releases also apply to plugins",
    ),
    "not trusted": of_plugin(with_plugin(GOOD), *untrusted(PLUGIN)),
    "dependencies that are not trusted": of_plugin(
        with_plugin(GOOD, requires=["no; python_version < '3'", "second>=2"]),
        *untrusted("second"),
    ),
    "hardware that is unknown": of_hardware(
        UNKNOWN_HARDWARE,
        *("--platform", "manylinux_2_28_aarch64", "--only-binary", ":all:"),
        *("--target", "there"),
    ),
    "an override that is invalid": of_hardware(INVALID, driver="x"),
}

#: What only wheels say is known when they have been downloaded.
DISAGREES = Cause(
    disagreeing,
    f"{GPU_WHEEL} does not match the variants manifest: the manifest has the variant 'gpu' with "
    "nvidia :: cuda_version_lower_bound :: 12.8, and the wheel has the variant 'gpu' with "
    "nvidia :: cuda_version_lower_bound :: 12.0",
    ("Choose another wheel with --variant torch=LABEL or --no-variants",),
    "variant 'gpu'",
    "looks for another candidate",
    NULL,
)


def run(venv: Environment, index: IndexServer, cause: Cause, *options: str) -> Result:
    """Install torch from an index."""
    index.clear_log()
    limits = ("--retries", "1", "--timeout", "2", "-i", index.index_url)
    command = ("install", "torch", *cause.options, *options, *limits)
    code = 1 if options else 0
    env = {**GPU, "COLUMNS": "1000", **cause.environ}
    return venv.pip(*command, env=env, code=code)


def downloaded(index: IndexServer) -> list[str]:
    """Return the wheels of torch that were asked for as a whole."""
    return [
        request.path
        for request in index.requests
        if request.path.startswith("/files/torch-")
        and request.path.endswith(".whl")
        and request.method == "GET"
        and "range" not in request.headers
    ]


def there(text: str, index: IndexServer) -> str:
    """Fill in the address of the index."""
    return text.replace("{index}", index.url)


@pytest.mark.parametrize("name", CAUSES)
def test_what_costs_a_variant(venv: Environment, index: IndexServer, name: str) -> None:
    cause = CAUSES[name]
    cause.prepare(index)
    result = run(venv, index, cause, STRICT)
    assert result.stderr.endswith(there(cause.error, index))
    assert "Using " not in result.stdout
    assert venv.installed() == {}
    assert downloaded(index) == []
    # And as usual without the option.
    result = run(venv, index, cause)
    assert cause.otherwise in result.stdout
    warnings = [
        line
        for line in result.stderr.splitlines()
        if not line.startswith("WARNING: Retrying (")
    ]
    said = cause.warning.format(
        lost=cause.lost, reason=cause.reason, hints=". ".join(cause.hints)
    )
    assert warnings == ([f"WARNING: {there(said, index)}"] if said else [])


def test_what_a_wheel_says(venv: Environment, index: IndexServer) -> None:
    disagreeing(index)
    result = run(venv, index, DISAGREES, STRICT)
    assert result.stderr == DISAGREES.error
    assert venv.installed() == {}
    result = run(venv, index, DISAGREES)
    assert DISAGREES.otherwise in result.stdout
    assert "'gpu' would run, but another requirement, index or er" in result.stderr


#: Commands that choose among candidates, or list them.
COMMANDS = (
    ("download", "torch"),
    ("lock", "torch", "-o", "-"),
    ("install", "--dry-run", "torch"),
    ("index", "versions", "torch"),
    ("list", "--outdated"),
    ("variants", "explain", "torch"),
    ("variants", "list", "torch"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands(
    venv: Environment, index: IndexServer, command: tuple[str, ...]
) -> None:
    # Without a plain build, each has to look at the manifest.
    index.add_release("torch", "2.8.0", VARIANTS, plain=False)
    venv.pip("install", "torch", "-i", index.index_url, env=GPU)
    index.add_release("torch", "2.9.0", VARIANTS, plain=False)
    path = "/files/torch-2.9.0-variants.json"
    index.faults[path] = make_fault("403", path, index.url)
    index.clear_log()
    options = [STRICT, "-i", index.index_url]
    if command[0] == "install":
        options.append("--upgrade")
    result = venv.pip(*command, *options, env=GPU, code=1)
    assert "error: variant-lost" in result.stderr
    assert "× pip would ignore the variant wheels of torch 2.9.0." in result.stderr
    assert downloaded(index) == []
    # As usual without the option: another version is found.
    options.remove(STRICT)
    result = venv.pip(*command, *options, env=GPU)
    assert "WARNING: Ignoring the variant wheels of torch 2.9.0: " in result.stderr
    if command[0] == "download":
        assert "Using torch 2.8.0, variant gpu" in result.stdout


#: Options with which nothing is lost that was not given up.
GIVEN_UP = (
    ("--disable-variant-provider", "npu"),
    ("--no-variants",),
    ("--variant-host", "cpu-x86_64-v3"),
)


@pytest.mark.parametrize("options", GIVEN_UP, ids=" ".join)
def test_what_the_user_gives_up_is_not_lost(
    venv: Environment, index: IndexServer, options: tuple[str, ...]
) -> None:
    with_plugin("1 / 0")(index)
    command = ("install", "torch", STRICT, *options, "-i", index.index_url)
    result = venv.pip(*command)
    assert "Successfully installed torch-2.8.0\n" in result.stdout
    assert result.stderr == ""


def test_what_the_target_cannot_run_is_not_lost(
    venv: Environment, index: IndexServer
) -> None:
    """Nor is what the manifest does not describe, or what needs a plugin in vain."""
    manifest = make_manifest(
        {
            "old": cuda("12.6"),
            "new": cuda("13.0"),
            "both": ["nvidia :: cuda_version_lower_bound :: 13.0", "npu :: kind :: b1"],
        },
        providers={"npu": PluginSpec([PLUGIN], "npu_plugin")},
    )
    index.add_release("torch", "2.8.0", {}, manifest=manifest)
    later = make_manifest({"later": cuda("12.8")})
    index.add(make_wheel("torch", "2.8.0", label="later", variant_json=later))
    result = venv.pip("install", "torch", STRICT, "-i", index.index_url, env=GPU)
    assert "Using torch 2.8.0, variant old" in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("feature", [[], ["--use-feature=inprocess-build-deps"]])
def test_build_requirements(
    venv: Environment, index: IndexServer, feature: list[str]
) -> None:
    """They count as well: a variable or configuration reaches them in any case."""
    failing("403")(index)
    index.add(make_sdist("app", "1.0", build_requires=["torch"]))
    command = ("install", "app", *feature, "-i", index.index_url)
    result = venv.pip(*command, STRICT, env=GPU, code=1)
    assert "error: variant-lost" in result.output
    assert downloaded(index) == []
    assert venv.installed() == {}
    venv.pip(*command, env=GPU)
    assert list(venv.installed()) == ["app"]


@pytest.mark.locks
def test_a_lock_file_without_a_manifest(venv: Environment, index: IndexServer) -> None:
    add_torch(index)
    options = ("-i", index.index_url)
    venv.pip("lock", "torch", "-o", "pylock.toml", *options, env=GPU)
    path = venv.work / "pylock.toml"
    text = path.read_text()
    start = text.index("[packages.variants-json]")
    path.write_text(text[: text.index("[packages.variants-json", start)])
    document = path.read_text()
    assert "variants-json" not in document
    for label in ("gpu", "null"):
        index.fault(f"torch-2.8.0-py3-none-any-{label}.whl", status=404)
    command = ("install", "-r", "pylock.toml", *options)
    index.clear_log()
    result = venv.pip(*command, STRICT, env=GPU, code=1)
    assert "× pip would ignore the variant wheels of torch 2.8.0." in result.stderr
    assert "its variants-json in pylock.toml is missing" in result.stderr
    assert venv.installed() == {}
    result = venv.pip(*command, env=GPU)
    assert "Successfully installed torch-2.8.0\n" in result.stdout


@pytest.mark.locks
def test_a_build_that_is_left_out_of_a_lock_file(
    venv: Environment, index: IndexServer
) -> None:
    add_torch(index, requires=["lib>=2; 'nvidia' in variant_namespaces"])
    index.add(make_wheel("app", "1.0", requires=["torch", "lib<2"]))
    index.add(make_wheel("lib", "1.0"))
    index.add(make_wheel("lib", "2.0"))
    command = ("lock", "app", "-o", "-", "-i", index.index_url)
    left_out = "the variant 'gpu' of torch 2.8.0 out of the lock file"
    assert f"WARNING: Leaving {left_out}: " in venv.pip(*command, env=GPU).stderr
    result = venv.pip(*command, STRICT, env=GPU, code=1)
    assert "× pip would ignore the variant 'gpu' of torch 2.8.0.\n" in result.stderr
    assert "hint: Name the variants to lock: --variant PACKAGE=LABEL" in result.stderr
    named = ("--variant", "torch=null")
    assert venv.pip(*command, *named, STRICT, env=GPU).stdout.count("gpu") == 0


def test_a_name_that_nothing_has(venv: Environment, index: IndexServer) -> None:
    add_torch(index)
    command = ["install", "torch", "-i", index.index_url, "--prefer-variant", "nvidai"]
    result = venv.pip(*command, STRICT, env=GPU, code=1)
    assert result.stderr.splitlines() == [
        "error: variant-lost",
        "",
        "× pip would ignore the option --prefer-variant nvidai.",
        "╰─> none of the packages uses namespace 'nvidai'",
        "",
        "note: --strict-variants makes this an error; otherwise, pip gives a warning.",
        "hint: Did you mean 'nvidia'?",
    ]
    assert not [path for _, path in index.log() if path.endswith(".whl")]
    assert venv.installed() == {}
