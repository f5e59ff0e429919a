"""Dependencies that are for some variants only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH, variant_json
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]

DEPENDENCIES: Mapping[str, str] = {
    "always": "",
    "for-nvidia": "'nvidia' in variant_namespaces",
    "for-amd": "'amd' in variant_namespaces",
    "for-cu128": "variant_label == 'cu128'",
    "for-plain": "variant_label == ''",
    "for-null": "variant_label == '00000000'",
    "for-bound": "'nvidia::cuda_version_lower_bound' in variant_features",
    "for-sm90": "'nvidia :: sm_arch :: 90_real' in variant_properties",
    # Declared by the wheel, and not supported by the machine.
    "for-sm80": "'nvidia :: sm_arch :: 80_real' in variant_properties",
    "for-gpu": "extra == 'gpu' and 'nvidia' in variant_namespaces",
    "for-cpu": "extra == 'gpu' and 'nvidia' not in variant_namespaces",
}
CU128 = ["always", "for-bound", "for-cu128", "for-nvidia", "for-sm90"]
NULL = ["always", "for-null"]
PLAIN = ["always", "for-plain"]


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with torch whose variants and plain wheel state the same."""
    requires = [
        f"{name}; {marker}" if marker else name for name, marker in DEPENDENCIES.items()
    ]
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    for label in [*PREVIEW_TORCH["variants"], None]:
        own = None if label is None else variant_json(PREVIEW_TORCH, label)
        wheel = make_wheel(
            *("torch", "2.8.0"),
            label=label,
            variant_json=own,
            requires=requires,
            metadata=["Provides-Extra: gpu"],
        )
        index.add(wheel)
    for name in DEPENDENCIES:
        index.add(make_wheel(name, "1.0"))
    return index


def installed(venv: Environment) -> Sequence[str]:
    """Return the names of what is installed beside torch."""
    return sorted(set(venv.installed()) - {"torch"})


WAYS: Mapping[str, tuple[bool, list[str], dict[str, str | None]]] = {
    "metadata beside the wheel": (True, [], {}),
    "range requests": (False, ["--use-feature=fast-deps"], {}),
    "whole wheels": (False, [], {}),
    "pkg_resources, whole wheels": (False, [], {"_PIP_USE_IMPORTLIB_METADATA": "0"}),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("driver", "extra", "expected"),
    [
        ("12.8", "[gpu]", sorted([*CU128, "for-gpu"])),
        ("12.0", "[gpu]", sorted([*NULL, "for-cpu"])),
    ],
)
def test_dependencies_of_the_chosen_variant(
    venv: Environment,
    torch: IndexServer,
    way: str,
    driver: str,
    extra: str,
    expected: Sequence[str],
) -> None:
    torch.pages.core_metadata, options, env = WAYS[way]
    env = {**forced(driver), **env}
    command = ["install", f"torch{extra}", "-i", torch.index_url, *options]
    result = venv.pip(*command, env=env)
    assert "dependency conflicts" not in result.stderr
    assert installed(venv) == expected
    assert "No broken requirements" in venv.pip("check", env=env).stdout
    # Nothing is missing for the next run either.
    torch.clear_log()
    venv.pip(*command, env=env)
    assert torch.log() == []


def test_a_plain_wheel_is_no_variant(venv: Environment, torch: IndexServer) -> None:
    command = ["install", "torch[gpu]", "-i", torch.index_url, "--no-variants"]
    venv.pip(*command, env=forced("12.8"))
    assert installed(venv) == sorted([*PLAIN, "for-cpu"])
    venv.pip("check")


def test_each_package_is_told_of_its_own_variant(
    venv: Environment, torch: IndexServer
) -> None:
    torch.add(make_wheel("app", "1.0", requires=["for-amd; variant_label == ''"]))
    options = ["-i", torch.index_url, "--variant", "torch=cu126"]
    venv.pip("install", "torch", "app", *options, env=forced("12.8"))
    expected = {*CU128, "for-amd", "app"} - {"for-cu128"}
    assert installed(venv) == sorted(expected)


def test_what_is_installed_shows_its_own(venv: Environment, torch: IndexServer) -> None:
    venv.pip("install", "torch", "-i", torch.index_url, env=forced("12.8"))
    shown = venv.pip("show", "torch").stdout
    (requires,) = (line for line in shown.splitlines() if line.startswith("Requires:"))
    assert "for-cu128" in requires
    assert "for-null" not in requires
    venv.pip("uninstall", "-y", "for-cu128")
    result = venv.pip("check", code=1)
    assert "torch 2.8.0 requires for-cu128, which is not installed." in result.stdout
