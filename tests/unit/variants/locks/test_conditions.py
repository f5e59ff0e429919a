"""With which builds each locked package is needed, and how that is written down."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pip._vendor.packaging.markers import Marker

from pip._internal.variants.locks.conditions import (
    Condition,
    LockConflict,
    Locked,
    LockedVariant,
    Resolution,
    Source,
    conditions,
    group_name,
    holds,
    marker_text,
)

# Of each node, what it depends on: of a project with variants by label.
Dependencies = Mapping[str, Sequence[str] | Mapping[str | None, Sequence[str]]]


def run(
    dependencies: Dependencies,
    labels: Mapping[str, str | None],
    versions: Mapping[str, str] | None = None,
) -> Resolution:
    """Return what a resolution finds, the root being the node ``""``."""
    children: dict[str | None, frozenset[str]] = {}
    left = [""]
    while left:
        node = left.pop()
        listed = dependencies.get(node, ())
        if isinstance(listed, Mapping):
            listed = listed[labels[node.partition("[")[0]]]
        children[node or None] = frozenset(listed)
        left += [child for child in listed if child not in children]
    nodes = [node for node in children if node is not None]
    return Resolution(
        {node: (versions or {}).get(node, "1") for node in nodes},
        {
            name: LockedVariant(name, label)
            for name, label in labels.items()
            if name in nodes
        },
        children,
    )


def what_was_seen(resolutions: Sequence[Resolution]) -> Callable[..., bool]:
    """Return what accepts just the versions that each package was resolved with."""
    seen = {
        (each.source(node), child, each.versions[child])
        for each in resolutions
        for node, children in each.children.items()
        for child in children
    }
    return lambda *asked: asked in seen


def anything(*_: Source | str) -> bool:
    """Accept all versions."""
    return True


def written(
    resolutions: Sequence[Resolution], accepts: Callable[..., bool] | None = None
) -> dict[str, str | None]:
    """Return the markers by ``name version``."""
    found = conditions(resolutions, accepts or what_was_seen(resolutions))
    return {
        " ".join(locked): marker_text(condition)
        for locked, condition in sorted(found.items())
        if "[" not in locked[0]
    }


def refusal(
    resolutions: Sequence[Resolution], accepts: Callable[..., bool] | None = None
) -> str:
    """Return why they are refused."""
    with pytest.raises(LockConflict) as caught:
        written(resolutions, accepts)
    return str(caught.value.message)


def wanted(*groups: str) -> str:
    return " or ".join(f"'variant-{group}' in dependency_groups" for group in groups)


def test_what_one_build_needs() -> None:
    torch: Dependencies = {
        "": ["torch"],
        "torch": {
            "cu126": ["common", "cuda"],
            "cu128": ["common", "cuda", "new"],
            None: ["common"],
        },
    }
    resolutions = [run(torch, {"torch": label}) for label in ("cu126", "cu128", None)]
    assert written(resolutions) == {
        "common 1": None,
        "cuda 1": wanted("torch-cu126", "torch-cu128"),
        "new 1": wanted("torch-cu128"),
        "torch 1": None,
    }


def test_one_project_in_two_versions() -> None:
    torch: Dependencies = {
        "": ["torch"],
        "torch": {"cu126": ["cuda"], "cu128": ["cuda"], "null": []},
        "cuda": ["runtime"],
    }
    resolutions = [
        run(torch, {"torch": "null"}),
        run(torch, {"torch": "cu126"}, {"cuda": "12.6"}),
        run(torch, {"torch": "cu128"}, {"cuda": "12.8"}),
    ]
    assert written(resolutions) == {
        "cuda 12.6": wanted("torch-cu126"),
        "cuda 12.8": wanted("torch-cu128"),
        "runtime 1": wanted("torch-cu126", "torch-cu128"),
        "torch 1": None,
    }


def test_variants_of_a_variant() -> None:
    nested: Dependencies = {
        "": ["torch"],
        "torch": {"gpu": ["kernels"], None: []},
        "kernels": {"a": ["both", "left"], "b": ["both"]},
    }
    resolutions = [
        run(nested, {"torch": None, "kernels": "a"}),
        run(nested, {"torch": "gpu", "kernels": "a"}),
        run(nested, {"torch": "gpu", "kernels": "b"}),
    ]
    assert written(resolutions) == {
        "both 1": wanted("kernels-a", "kernels-b"),
        "kernels 1": wanted("torch-gpu"),
        "left 1": wanted("kernels-a"),
        "torch 1": None,
    }


def test_what_the_user_asked_for_in_a_version_that_a_build_decides() -> None:
    asked: Dependencies = {
        "": ["app", "files", "torch"],
        "torch": {"cu128": ["files"], None: []},
        "app": {"cu128": [], None: []},
    }
    both = {"torch": "cu128", "app": "cu128"}
    plain = {"torch": None, "app": None}
    resolutions = [run(asked, plain, {"files": "2"}), run(asked, both, {"files": "1"})]
    # Both packages were taken with another build; only torch decides in files.
    assert written(resolutions) == {
        "app 1": None,
        "files 1": wanted("torch-cu128"),
        "files 2": wanted("torch-plain"),
        "torch 1": None,
    }


def test_extras_that_one_build_asks_for() -> None:
    extras: Dependencies = {
        "": ["torch", "tool"],
        "torch": {"cu128": ["tool[fast]"], None: ["tool"]},
        "tool[fast]": ["tool", "speed"],
    }
    resolutions = [run(extras, {"torch": label}) for label in ("cu128", None)]
    assert written(resolutions) == {
        "speed 1": wanted("torch-cu128"),
        "tool 1": None,
        "torch 1": None,
    }


def test_two_packages_that_disagree() -> None:
    asked: Dependencies = {
        "": ["one", "two"],
        "one": {"a": ["lib"], None: []},
        "two": {"b": ["lib"], None: []},
    }
    resolutions = [
        run(asked, {"one": None, "two": None}),
        run(asked, {"one": "a", "two": None}, {"lib": "1"}),
        run(asked, {"one": None, "two": "b"}, {"lib": "2"}),
    ]
    with pytest.raises(LockConflict) as caught:
        written(resolutions)
    assert str(caught.value.context).splitlines() == [
        "lib 1: one (a)",
        "lib 2: two (b)",
    ]


def test_a_version_that_another_variant_does_not_accept() -> None:
    asked: Dependencies = {
        "": ["one", "two"],
        "one": {"a": ["lib"], "b": ["lib"]},
        "two": {"c": ["lib"], "d": ["lib"]},
    }
    resolutions = [
        run(asked, {"one": "a", "two": "c"}, {"lib": "1"}),
        run(asked, {"one": "b", "two": "c"}, {"lib": "2"}),
        run(asked, {"one": "a", "two": "d"}, {"lib": "1"}),
    ]
    # Nobody has seen one (b) together with two (d).
    assert written(resolutions, anything) == {
        "lib 1": wanted("one-a"),
        "lib 2": wanted("one-b"),
        "one 1": None,
        "two 1": None,
    }
    assert "Cannot lock 'lib': variants that" in refusal(resolutions)


def test_what_decides_is_not_always_there() -> None:
    asked: Dependencies = {
        "": ["lib", "two"],
        "two": {"a": ["one"], "b": []},
        "one": {"x": ["lib"], "y": ["lib"]},
    }
    resolutions = [
        run(asked, {"one": "x", "two": "a"}, {"lib": "1"}),
        run(asked, {"one": "y", "two": "a"}, {"lib": "2"}),
        run(asked, {"two": "b"}, {"lib": "2"}),
    ]
    assert "Cannot lock 'lib': variants that" in refusal(resolutions, anything)


def test_what_would_have_to_tell_when_it_is_needed_itself() -> None:
    asked: Dependencies = {"": ["lib"], "lib": ["one"], "one": {"a": [], "b": []}}
    resolutions = [
        run(asked, {"one": label}, {"lib": version})
        for label, version in [("a", "1"), ("b", "2")]
    ]
    assert "Cannot lock 'lib': variants that" in refusal(resolutions)


def test_a_variant_that_was_not_resolved_with_its_extras() -> None:
    extras: Dependencies = {
        "": ["torch", "app"],
        "app": {"a": ["torch[x]"], "b": []},
        "torch[x]": {"cu128": ["torch", "more"], None: ["torch"]},
        "torch": {"cu128": [], None: []},
    }
    choices: Sequence[Mapping[str, str | None]] = [
        {"torch": None, "app": "b"},
        {"torch": "cu128", "app": "b"},
        {"torch": None, "app": "a"},
    ]
    resolutions = [run(extras, choice) for choice in choices]
    assert "torch (cu128) as torch[x]" in refusal(resolutions)
    # Nor if it was: no marker says that both variants are installed.
    both = run(extras, {"torch": "cu128", "app": "a"})
    assert "torch (cu128) as torch[x]" in refusal([*resolutions, both])


NODES = ["p", "q", "r", "s", "t"]


class World(NamedTuple):
    """Dependencies of all variants, and the versions that one project decides."""

    needs: Dependencies
    labels: Mapping[str, Sequence[str | None]]
    deciding: str
    versions: Mapping[tuple[str, str | None], str]

    def resolve(self, choice: Mapping[str, str | None]) -> Resolution:
        """Return what a resolution finds with a label for each project."""
        found = run(self.needs, choice)
        if self.deciding not in found.taken:
            return found
        return run(
            self.needs,
            choice,
            {
                name: self.versions[name.partition("[")[0], choice[self.deciding]]
                for name in ("s", "t", "t[x]")
            },
        )

    def one_after_the_other(self) -> list[Resolution]:
        """Resolve with each variant of each project, the others being the first."""
        first = {name: labels[0] for name, labels in self.labels.items()}
        choices = [first]
        for name, labels in self.labels.items():
            choices += [{**first, name: label} for label in labels[1:]]
        return [self.resolve(choice) for choice in choices]

    def mixtures(self) -> Iterator[Mapping[str, str | None]]:
        """Yield all combinations of variants that machines may take."""
        for labels in itertools.product(*self.labels.values()):
            yield dict(zip(self.labels, labels, strict=True))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    variants = draw(
        st.lists(st.sampled_from(NODES[:3]), unique=True, min_size=1, max_size=3)
    )
    labels = {
        name: draw(st.lists(st.sampled_from(["a", "b", None]), min_size=1, unique=True))
        for name in variants
    }
    some = st.lists(st.sampled_from([*NODES, "t[x]"]), unique=True, max_size=2)
    needs: dict[str, Any] = {
        name: {label: draw(some) for label in labels[name]}
        if name in labels
        else draw(some)
        for name in NODES
    }
    needs["t[x]"] = ["t", *draw(some)]
    needs[""] = [*draw(some), *variants]
    versions = {
        (name, label): draw(st.sampled_from(["1", "2"]))
        for name in ("s", "t")
        for label in ("a", "b", None)
    }
    return World(needs, labels, draw(st.sampled_from(variants)), versions)


def read(needed: Mapping[Locked, Condition], labels: Mapping[str, Any]) -> set[Locked]:
    """Select as a machine does that takes the variants with these labels."""
    variants: set[LockedVariant] = set()
    while True:
        selected = {
            each
            for each in needed
            if "[" not in each[0] and holds(needed[each], variants)
        }
        taken = {
            LockedVariant(name, labels[name]) for name, _ in selected if name in labels
        }
        if taken <= variants:
            return selected
        variants |= taken


@settings(max_examples=500)
@given(worlds())
def test_all_combinations_get_what_they_need(world: World) -> None:
    try:
        needed = conditions(world.one_after_the_other(), anything)
    except LockConflict:
        assume(False)
    for mixture in world.mixtures():
        selected = read(needed, mixture)
        found = {name for name in world.resolve(mixture).versions if "[" not in name}
        assert {name for name, _ in selected} == found
        assert len(selected) == len(found), "no project comes twice"


BUILDS = st.builds(
    LockedVariant,
    st.from_regex(r"[a-c](-?[a-c]){0,2}", fullmatch=True),
    st.none() | st.from_regex(r"[a-c._]{1,4}", fullmatch=True),
)


@given(BUILDS)
def test_names_of_groups(build: LockedVariant) -> None:
    name = group_name(build)
    # It is what a marker compares it with.
    marker = Marker(f"'{name}' in dependency_groups")
    environment = {"dependency_groups": frozenset([name]), "extras": frozenset()}
    assert marker.evaluate(environment, context="lock_file")


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("cuda12.8", "variant-torch-cuda12-8"),
        (None, "variant-torch-plain"),
        ("_", "variant-torch"),
    ],
)
def test_names_of_labels(label: str | None, name: str) -> None:
    assert group_name(LockedVariant("torch", label)) == name
