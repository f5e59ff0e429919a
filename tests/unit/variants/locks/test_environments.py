"""The lock files of several environments as one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pip._vendor.packaging.markers import Marker
from pip._vendor.packaging.pylock import Pylock

from pip._internal.variants.locks.environments import Document, merged

X86 = {"sys_platform": "linux", "platform_machine": "x86_64", "python_version": "3.13"}
ARM = {**X86, "platform_machine": "aarch64"}
MAC = {**X86, "sys_platform": "darwin", "platform_machine": "arm64"}
OLD = {**X86, "python_version": "3.12"}


def package(name: str, version: str, *labels: str, marker: str | None = None) -> Any:
    """Return an entry; with labels, one with variants."""
    filenames = [f"{name}-{version}-py3-none-any-{each}.whl" for each in labels]
    wheels = [
        {"name": each, "url": f"https://host.example/{each}", "hashes": {"sha256": "0"}}
        for each in filenames or [f"{name}-{version}-py3-none-any.whl"]
    ]
    return {
        **{"name": name, "version": version},
        **({} if marker is None else {"marker": marker}),
        "wheels": wheels,
        **({"variants-json": {"variants": {x: {} for x in labels}}} if labels else {}),
    }


def document(environment: Mapping[str, str], *packages: Any, **more: Any) -> Document:
    content = {"lock-version": "1.0", "created-by": "pip", "packages": [*packages]}
    return Document("name", environment, {**content, **more})


def markers(*documents: Document) -> list[tuple[str, str, str | None]]:
    found = merged(documents)
    # It is a valid lock file, but for what packaging does not know.
    known = [each for each in found["packages"] if "variants-json" not in each]
    Pylock.from_dict({**found, "packages": known})
    return [(x["name"], x["version"], x.get("marker")) for x in found["packages"]]


def test_what_is_the_same_comes_once() -> None:
    a = package("a", "1")
    both = [document(X86, a, package("b", "2")), document(ARM, package("b", "2"), a)]
    assert markers(*both) == [("a", "1", None), ("b", "2", None)]
    assert merged(both)["environments"] == [
        " and ".join(f'{name} == "{value}"' for name, value in each.items())
        for each in (X86, ARM)
    ]


@pytest.mark.parametrize(
    ("has", "lacks", "marker"),
    [
        ([X86], [ARM], 'platform_machine == "x86_64"'),
        ([X86, ARM], [MAC], 'sys_platform == "linux"'),
        (
            [ARM, MAC],
            [X86],
            'platform_machine == "aarch64" or platform_machine == "arm64"',
        ),
        ([OLD], [X86, MAC], 'python_version == "3.12"'),
        (
            [X86, MAC],
            [OLD, {**MAC, "python_version": "3.12"}, {**X86, "sys_platform": "darwin"}],
            (
                '(sys_platform == "linux" and platform_machine == "x86_64" and '
                'python_version == "3.13") or (sys_platform == "darwin" and '
                'platform_machine == "arm64" and python_version == "3.13")'
            ),
        ),
    ],
)
def test_environments_that_have_a_package(has: Any, lacks: Any, marker: str) -> None:
    documents = [document(each, package("a", "1")) for each in has]
    documents += [document(each, package("a", "2")) for each in lacks]
    found = dict(entry[1:] for entry in markers(*documents))
    assert found["1"] == marker
    one, other = (Marker(str(found[version])) for version in ("1", "2"))
    for environment in has:
        assert one.evaluate(environment)
        assert not other.evaluate(environment)
    for environment in lacks:
        assert other.evaluate(environment)
        assert not one.evaluate(environment)


def test_markers_of_groups() -> None:
    marker = '"variant-t-x" in dependency_groups'
    alternatives = f'{marker} or "variant-t-y" in dependency_groups'
    t = package("t", "1", "x", "y")
    groups = {"default-groups": ["variant-t-x"]}
    first = document(X86, package("a", "1", marker=marker), t, **groups)
    second = document(ARM, package("a", "1", marker=alternatives), t, **groups)
    assert markers(first, second) == [
        ("a", "1", f'platform_machine == "x86_64" and {marker}'),
        ("a", "1", f'platform_machine == "aarch64" and ({alternatives})'),
        ("t", "1", None),
    ]
    assert merged([first, second])["default-groups"] == ["variant-t-x"]
