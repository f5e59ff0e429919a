"""``--strict-variants``: what would cost a variant with a warning is an error instead."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.faults import Fault, Gate, make_fault
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import Provider, cuda, make_manifest, manifest_file
from tests.lib.terminals import run_pip, shown
from tests.lib.wheels import make_sdist, make_wheel

STRICT = "--strict-variants"
MANIFEST = "torch-2.8.0-variants.json"
MANIFEST_PATH = f"/files/{MANIFEST}"
GPU_WHEEL = "torch-2.8.0-py3-none-any-gpu.whl"
GPU = forced("12.8")
VARIANTS = {"gpu": cuda("12.8"), "null": {}}

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
    "An index with a manifest that can be used (--index-url URL), or the wheels in a "
    "folder (--find-links DIR), lets pip choose among them"
)
PLAIN = "goes on with a plain build, maybe one without GPU support"
DISABLE = "To do without: --disable-variant-provider npu"


@dataclass(frozen=True)
class Cause:
    """What would cost a variant.

    :param prepare: makes an index that has it.
    :param lost: what the error says is lost.
    :param reason: and why; ``{index}`` is the address of the index.
    :param follows: what it says pip does without the option.
    :param hints: what it says to type.
    :param otherwise: what is chosen without the option.
    :param warning: how the warning begins then, after its ``WARNING: ``; empty for none.
    :param options: that the cause takes.
    """

    prepare: Callable[[IndexServer], object]
    lost: str
    reason: str
    follows: str
    hints: tuple[str, ...]
    otherwise: str = "Using a plain build of torch 2.8.0"
    warning: str = ""
    options: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def error(self) -> str:
        """Return all that is said, on a terminal wide enough."""
        lines = [
            "error: variant-lost",
            "",
            f"× {self.lost} would be left out.",
            f"╰─> {self.reason}",
            "",
            f"note: That is an error with {STRICT}; without it, pip {self.follows}.",
            f"hint: {self.hints[0]}",
            *(f"      {hint}" for hint in self.hints[1:]),
        ]
        return "".join(f"{line}\n" for line in lines)


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
    fault: str | Callable[[IndexServer], object],
    problem: str,
    *hints: str,
    attempts: int = 1,
) -> Cause:
    """Return a cause that is a manifest of no use."""
    where = "{index}" + MANIFEST_PATH
    if attempts > 1:
        where = f"{attempts} attempts at {where}"
    reason = f"its variants manifest cannot be used: {problem} ({where})"
    return Cause(
        failing(fault) if isinstance(fault, str) else fault,
        "The variant wheels of torch 2.8.0",
        reason,
        PLAIN,
        hints,
        warning=". ".join(
            [
                f"Ignoring the variant wheels of torch 2.8.0: {reason}",
                f"So pip {PLAIN}",
                *hints,
            ]
        ),
    )


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
            providers={"npu": Provider([f"{PLUGIN}>=1"], "npu_plugin")},
        )
        index.add_release("torch", "2.8.0", {}, manifest=manifest)
        if code is not None:
            files = {"npu_plugin.py": code}
            index.add(make_wheel(PLUGIN, "1.0", files=files, requires=requires))

    return prepare


def of_plugin(
    prepare: Callable[[IndexServer], None], problem: str, *hints: str
) -> Cause:
    """Return a cause that is a plugin that gives no answer."""
    reason = f"The plugin {PLUGIN}: {problem}"
    lost = "the variants npu2, npu1 of torch 2.8.0"
    return Cause(
        prepare,
        lost.capitalize(),
        reason,
        "gives a warning",
        (*hints, DISABLE),
        warning=". ".join([reason, f"So {lost} are left out", *hints, DISABLE]),
        options=(*TRUST, "--variant-provider-timeout", "2"),
    )


def untrusted(prepare: Callable[[IndexServer], None], *needed: str) -> Cause:
    """Return a cause that is a plugin that is not trusted, or what it depends on."""
    known = "only code that pip may not run knows whether they are supported here"
    options = " ".join(f"--trust-variant-provider {name}" for name in needed)
    trust = f"If you trust it to run with your rights: {options}"
    left_out = "Variants of torch 2.8.0 were left out (npu2, npu1), since"
    return Cause(
        prepare,
        "The variants npu2, npu1 of torch 2.8.0",
        known,
        "gives a warning",
        (trust, DISABLE),
        warning=f"{left_out} {known}. {trust}",
        options=() if needed == (PLUGIN,) else TRUST,
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


def with_invalid_metadata(index: IndexServer) -> None:
    """Make an index with a wheel that needs what cannot be parsed."""
    add_torch(index)
    index.pages.core_metadata = False
    own = make_manifest({"gpu": cuda("12.8")})
    index.add(
        make_wheel("torch", "2.8.0", label="gpu", variant_json=own, requires=["a b c"])
    )


AGAIN = "Try again"
TO_MEND = "Whoever runs the index has to mend it"
FROM = (
    "It is npu-variant-provider 1.0 from {index}/simple/npu-variant-provider/; a newer one "
    "is taken once it is there, another one if a file that -c names has "
    "npu-variant-provider!=1.0"
)
UNKNOWN_HARDWARE = (
    "Variants are chosen for another machine whose hardware is unknown: only builds that "
    "need none are taken. Describe it with --variant-host"
)
INVALID = (
    "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION is ignored and nothing detected in its "
    "place: expected a CUDA version up to 50.99, such as '12.8', got 'x'"
)

CAUSES: Mapping[str, Cause] = {
    "500": of_manifest("500", "the server answered 500", AGAIN, attempts=2),
    "503": of_manifest("503", "the server answered 503", AGAIN, attempts=2),
    "429": of_manifest("429", "the server answered 429 Too Many Requests", AGAIN),
    "403": of_manifest(
        "403",
        "the server answered 403 Forbidden",
        "If it takes a password, put that into the URL of the index, a .netrc file or a "
        "keyring",
        WITHOUT_MANIFEST,
    ),
    "timeout": of_manifest(
        "stalled", "127.0.0.1 didn't respond within 2.0 seconds", AGAIN, attempts=2
    ),
    "timeout in the body": of_manifest(
        "stalled in the body",
        "the server stopped sending before the end",
        AGAIN,
        attempts=3,
    ),
    "reset": of_manifest(
        "reset",
        "the connection was closed without a reply from the server",
        AGAIN,
        attempts=2,
    ),
    "reset in the body": of_manifest(
        "reset in the body",
        "the connection broke before the end: Connection reset by peer",
        AGAIN,
        attempts=3,
    ),
    "truncated": of_manifest(
        "truncated", "the connection broke after 20 of 489 bytes", AGAIN, attempts=3
    ),
    "a wrong hash": of_manifest(
        "an error page",
        "its hash is not the one the index states",
        TO_MEND,
        WITHOUT_MANIFEST,
    ),
    "no JSON": of_manifest(
        with_manifest(b"<html>"),
        "it is not JSON (Expecting value: line 1 column 1 (char 0))",
        TO_MEND,
        WITHOUT_MANIFEST,
    ),
    "too large": of_manifest(
        with_manifest(b" " * (3 << 20)),
        "it is larger than 2 MiB",
        TO_MEND,
        WITHOUT_MANIFEST,
    ),
    "missing": Cause(
        failing("404"),
        "The variant wheels of torch 2.8.0",
        f"its variants manifest is missing: the server answered 404 Not Found "
        f"({{index}}{MANIFEST_PATH})",
        "reads the wheels instead",
        (WITHOUT_MANIFEST,),
        otherwise="Using the variant gpu of torch 2.8.0",
    ),
    "a wheel that cannot be read": Cause(
        without_manifest,
        "The variant gpu of torch 2.8.0",
        f"{GPU_WHEEL} cannot be read: the server answered 403 Forbidden",
        "chooses among the others",
        (WITHOUT_MANIFEST,),
        otherwise="Using the variant null of torch 2.8.0",
        warning=f"Ignoring the variant gpu of torch 2.8.0: {GPU_WHEEL} cannot be read: the "
        "server answered 403 Forbidden. So pip chooses among the others",
    ),
    "a plugin that fails": of_plugin(
        with_plugin("1 / 0"),
        "it failed: ZeroDivisionError: division by zero",
        "-v tells where",
        FROM,
    ),
    "a plugin that hangs": of_plugin(
        with_plugin("import time; time.sleep(600)"),
        "it did not answer within 2 seconds",
        "--variant-provider-timeout 4 gives it more time",
        FROM,
    ),
    "a plugin that is nowhere": of_plugin(
        with_plugin(None),
        f"it cannot be installed: No matching distribution found for {PLUGIN}>=1",
        "It was looked for on {index}/simple/",
    ),
    "not trusted": untrusted(with_plugin(GOOD), PLUGIN),
    "dependencies that are not trusted": untrusted(
        with_plugin(GOOD, requires=["second", "first>=2", "no; python_version < '3'"]),
        *("first", "second"),
    ),
    "hardware that is unknown": Cause(
        add_torch,
        "The variant gpu of torch 2.8.0",
        UNKNOWN_HARDWARE,
        "gives a warning",
        ("To do without: --disable-variant-provider nvidia",),
        otherwise="Using the variant null of torch 2.8.0",
        warning=UNKNOWN_HARDWARE,
        options=(
            *("--platform", "manylinux_2_28_aarch64", "--only-binary", ":all:"),
            *("--target", "there"),
        ),
        environ={CUDA: "", SM: ""},
    ),
    "an override that is invalid": Cause(
        add_torch,
        "The variant gpu of torch 2.8.0",
        INVALID,
        "gives a warning",
        ("To do without: --disable-variant-provider nvidia",),
        otherwise="Using the variant null of torch 2.8.0",
        warning=INVALID,
        environ={CUDA: "x", SM: ""},
    ),
}

#: What only wheels say is known when they have been downloaded.
OF_WHEELS: Mapping[str, Cause] = {
    "a wheel that disagrees": Cause(
        disagreeing,
        "The variant gpu of torch 2.8.0",
        f"{GPU_WHEEL} is not what the variants manifest says: that is the variant gpu with "
        "nvidia :: cuda_version_lower_bound :: 12.8; the wheel: the variant gpu with nvidia "
        ":: cuda_version_lower_bound :: 12.0",
        "looks for another candidate",
        (
            "Whoever publishes it has to mend it",
            (
                "Until then, choose another build with --variant torch=LABEL, or none with "
                "--no-variants"
            ),
        ),
        otherwise="Using the variant null of torch 2.8.0",
    ),
    "a wheel with invalid metadata": Cause(
        with_invalid_metadata,
        "The variant gpu of torch 2.8.0",
        f"Requested torch from {{index}}/files/{GPU_WHEEL} has "
        "invalid metadata: Expected semicolon (after name with no version specifier) or "
        "end a b c ^",
        "looks for another candidate",
        (
            "Whoever publishes it has to mend it",
            (
                "Until then, choose another build with --variant torch=LABEL, or none with "
                "--no-variants"
            ),
        ),
        otherwise="Using the variant null of torch 2.8.0",
        # It is upstream's.
        warning="Ignoring version 2.8.0 of torch since it has invalid metadata:",
    ),
}


def environ(cause: Cause) -> dict[str, str | None]:
    """Return the variables of a machine with a GPU, and those of the cause."""
    return {**GPU, "COLUMNS": "1000", **cause.environ}


def run(venv: Environment, index: IndexServer, cause: Cause, *options: str) -> Result:
    """Install torch from an index."""
    index.clear_log()
    limits = ("--retries", "1", "--timeout", "2", "-i", index.index_url)
    command = ("install", "torch", *cause.options, *options, *limits)
    code = 1 if options else 0
    return venv.pip(*command, env=environ(cause), code=code)


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
    assert result.stderr.splitlines()[-_height(cause) :] == _lines(cause.error, index)
    assert "Using " not in result.stdout
    assert venv.installed() == {}
    assert downloaded(index) == []
    # And as ever without the option.
    result = run(venv, index, cause)
    assert cause.otherwise in result.stdout
    warnings = [
        line
        for line in result.stderr.splitlines()
        if not line.startswith("WARNING: Asking again for ")
    ]
    expected = [f"WARNING: {there(cause.warning, index)}"] if cause.warning else []
    assert warnings == expected


def _height(cause: Cause) -> int:
    return len(cause.error.splitlines())


def _lines(text: str, index: IndexServer) -> list[str]:
    return there(text, index).splitlines()


@pytest.mark.parametrize("name", OF_WHEELS)
def test_what_a_wheel_says(venv: Environment, index: IndexServer, name: str) -> None:
    cause = OF_WHEELS[name]
    cause.prepare(index)
    result = run(venv, index, cause, STRICT)
    assert result.stderr.splitlines() == _lines(cause.error, index)
    assert venv.installed() == {}
    result = run(venv, index, cause)
    assert cause.otherwise in result.stdout
    assert bool(result.stderr) == bool(cause.warning)
    assert result.stderr.startswith(
        f"WARNING: {cause.warning}" if cause.warning else ""
    )


@pytest.mark.parametrize("retries", ["0", "1", "3", None])
@pytest.mark.parametrize("fault", ["500", "reset"])
def test_attempts_are_counted(
    venv: Environment, index: IndexServer, fault: str, retries: str | None
) -> None:
    failing(fault)(index)
    limit = [] if retries is None else ["--retries", retries]
    command = ("install", "torch", "-i", index.index_url, *limit)
    result = venv.pip(*command, env=GPU)
    sent = index.log().count(("GET", MANIFEST_PATH))
    assert sent == 1 + int(retries or 5)
    where = "(" if sent == 1 else f"({sent} attempts at "
    assert f"{where}{index.url}{MANIFEST_PATH})" in result.stderr
    assert result.stderr.count("Asking again for ") == (
        sent - 1 if fault == "reset" else 0
    )


@pytest.mark.parametrize("columns", [60, 80, 100])
@pytest.mark.parametrize("name", ["500", "403", "a plugin that fails"])
def test_on_a_terminal(
    venv: Environment, index: IndexServer, name: str, columns: int
) -> None:
    """The same words, none of them broken, whatever the width."""
    cause = CAUSES[name]
    cause.prepare(index)
    command = (
        "install",
        "--dry-run",
        "torch",
        *cause.options,
        "--retries",
        "1",
        "-i",
        index.index_url,
    )
    for options, text in ((), f"WARNING: {cause.warning}"), ((STRICT,), cause.error):
        result = run_pip(
            *(venv, columns, *command, *options),
            env={**environ(cause), "NO_COLOR": "1"},
            code=len(options),
        )
        said = " ".join(shown(result, columns).split())
        assert " ".join(there(text, index).split()) in said


#: Further ways to be strict, as variables and as lines of a configuration.
WAYS: Mapping[str, tuple[Mapping[str, str], str]] = {
    "variable": ({"PIP_STRICT_VARIANTS": "1"}, ""),
    "configuration": ({}, "[global]\nstrict-variants = true\n"),
    "of a command": ({}, "[install]\nstrict-variants = yes\n"),
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_say_so(venv: Environment, index: IndexServer, way: str) -> None:
    variables, configuration = WAYS[way]
    (venv.work / "pip.conf").write_text(configuration)
    cause = CAUSES["403"]
    cause.prepare(index)
    env = {
        **environ(cause),
        "PIP_CONFIG_FILE": str(venv.work / "pip.conf"),
        **variables,
    }
    command = ("install", "torch", "-i", index.index_url)
    result = venv.pip(*command, env=env, code=1)
    assert result.stderr.splitlines() == _lines(cause.error, index)
    # A variable has the last word.
    result = venv.pip(*command, env={**env, "PIP_STRICT_VARIANTS": "0"})
    assert cause.otherwise in result.stdout


#: Commands that choose among candidates, or list them.
COMMANDS = (
    ("download", "torch"),
    ("wheel", "torch"),
    ("lock", "torch", "-o", "-"),
    ("install", "--dry-run", "torch"),
    ("index", "versions", "torch"),
    ("list", "--outdated"),
    ("variants", "explain", "torch"),
    ("variants", "explain", "--json", "torch"),
    ("variants", "list", "torch"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands(
    venv: Environment, index: IndexServer, command: tuple[str, ...]
) -> None:
    cause = CAUSES["403"]
    # Without a plain build, each has to look at the manifest.
    index.add_release("torch", "2.8.0", VARIANTS, plain=False)
    venv.pip("install", "torch", "-i", index.index_url, env=environ(cause))
    index.add_release("torch", "2.9.0", VARIANTS, plain=False)
    path = "/files/torch-2.9.0-variants.json"
    index.faults[path] = make_fault("403", path, index.url)
    index.clear_log()
    options = [STRICT, "-i", index.index_url]
    if command[0] == "install":
        options.append("--upgrade")
    result = venv.pip(*command, *options, env=environ(cause), code=1)
    assert "error: variant-lost" in result.stderr
    assert "× The variant wheels of torch 2.9.0 would be left out." in result.stderr
    assert downloaded(index) == []
    # As ever without the option: another version is found.
    options.remove(STRICT)
    result = venv.pip(*command, *options, env=environ(cause))
    assert "WARNING: Ignoring the variant wheels of torch 2.9.0: " in result.stderr


def open_when(gate: Gate, index: IndexServer) -> None:
    """Open a gate when the manifest of torch was asked for, or after a minute."""
    until = time.monotonic() + 60
    while ("GET", MANIFEST_PATH) not in index.log() and time.monotonic() < until:
        time.sleep(0.01)
    gate.open()


def test_a_release_that_was_only_foreseen(
    venv: Environment, index: IndexServer
) -> None:
    """What nobody comes to costs nothing, whatever was asked for early."""
    with_manifest(b"<html>")(index)
    index.add_release("first", "1.0", VARIANTS)
    index.add_release("first", "2.0", VARIANTS, requires=["gone>=2", "torch"])
    index.add(make_wheel("gone", "1.0"))
    index.pages.hashes = False
    # Upstream waits for this page until the other one's manifest was asked for.
    gate = Gate()
    index.faults["/simple/gone/"] = Fault(gate=gate)
    threading.Thread(target=open_when, args=(gate, index), daemon=True).start()
    command = ("install", "first", STRICT, "-i", index.index_url)
    result = venv.pip(*command, env=GPU)
    assert "Using the variant gpu of first 1.0" in result.stdout
    assert result.stderr == ""
    assert ("GET", MANIFEST_PATH) in index.log()


def test_nothing_is_passed_over(venv: Environment, index: IndexServer) -> None:
    """Where the newest release cannot be judged, an older one is no way out."""
    index.add_release("torch", "2.8.0", VARIANTS, plain=False)
    index.add_release("torch", "2.7.0", VARIANTS)
    index.faults[MANIFEST_PATH] = make_fault("403", MANIFEST_PATH, index.url)
    command = ("install", "torch", "-i", index.index_url)
    result = venv.pip(*command, STRICT, env=GPU, code=1)
    assert "× The variant wheels of torch 2.8.0 would be left out." in result.stderr
    assert "goes on with another version, if there is one." in result.stderr
    result = venv.pip(*command, env=GPU)
    assert "Using the variant gpu of torch 2.7.0" in result.stdout
    assert "So pip goes on with another version, if there is one" in result.stderr


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
            "both": [
                "nvidia :: cuda_version_lower_bound :: 13.0",
                "npu :: kind :: b1",
            ],
        },
        providers={"npu": Provider([PLUGIN], "npu_plugin")},
    )
    index.add_release("torch", "2.8.0", {}, manifest=manifest)
    later = make_manifest({"later": cuda("12.8")})
    index.add(make_wheel("torch", "2.8.0", label="later", variant_json=later))
    result = venv.pip("install", "torch", STRICT, "-i", index.index_url, env=GPU)
    assert "Using the variant old of torch 2.8.0" in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("feature", [[], ["--use-feature=inprocess-build-deps"]])
@pytest.mark.parametrize("strict", [True, False])
def test_build_requirements(
    venv: Environment, index: IndexServer, feature: list[str], strict: bool
) -> None:
    """They count as well: a variable or configuration reaches them in any case."""
    add_torch(index)
    index.faults[MANIFEST_PATH] = make_fault("403", MANIFEST_PATH, index.url)
    index.add(make_sdist("app", "1.0", build_requires=["torch"]))
    options = [STRICT] if strict else []
    command = ("install", "app", *options, *feature, "-i", index.index_url)
    result = venv.pip(*command, env=GPU, code=int(strict))
    assert ("error: variant-lost" in result.output) == strict
    assert list(venv.installed()) == ([] if strict else ["app"])
    assert bool(downloaded(index)) != strict


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
    assert "× The variant wheels of torch 2.8.0 would be left out." in result.stderr
    assert "pylock.toml has no variants-json for it, and torch-2.8.0" in result.stderr
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
    left_out = "the variant gpu of torch 2.8.0 out of the lock file"
    assert f"WARNING: Leaving {left_out}: " in venv.pip(*command, env=GPU).stderr
    result = venv.pip(*command, STRICT, env=GPU, code=1)
    assert "× The variant gpu of torch 2.8.0 would be left out.\n" in result.stderr
    assert "hint: Name the variants to lock: --variant PACKAGE=LABEL" in result.stderr
    named = ("--variant", "torch=null")
    assert venv.pip(*command, *named, STRICT, env=GPU).stdout.count("gpu") == 0


@pytest.mark.parametrize("option", ["--disable-variant-provider", "--prefer-variant"])
def test_a_name_that_nothing_has(
    venv: Environment, index: IndexServer, option: str
) -> None:
    add_torch(index)
    command = ["install", "torch", "-i", index.index_url, option, "nvidai"]
    result = venv.pip(*command, "--dry-run", env=GPU)
    told = "nothing in this run has a namespace nvidai"
    assert result.stderr == f"WARNING: {option} nvidai: {told}. Did you mean nvidia?\n"
    index.clear_log()
    result = venv.pip(*command, STRICT, env=GPU, code=1)
    assert result.stderr.splitlines() == [
        "error: variant-lost",
        "",
        f"× What {option} nvidai asks for would be left out.",
        f"╰─> {told}",
        "",
        "note: That is an error with --strict-variants; without it, pip gives a warning.",
        "hint: Did you mean nvidia?",
    ]
    assert not [path for _, path in index.log() if path.endswith(".whl")]
    assert venv.installed() == {}


def test_where_all_is_well_nothing_changes(
    venv: Environment, index: IndexServer
) -> None:
    add_torch(index)
    command = ("install", "--dry-run", "torch", "-i", index.index_url)
    results, requests = [], []
    for options in ((), (STRICT,)):
        index.clear_log()
        results.append(venv.pip(*command, *options, env=GPU))
        requests.append(index.log())
    assert results[0].output == results[1].output
    assert requests[0] == requests[1]
