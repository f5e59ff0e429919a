"""Read the providers in manifests (PEP 850, earlier PEP 817).

Some files state the wrong schema version, and one index may mix several versions, so the
shape of each provider decides.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from wheel_variants.manifest import ABI_DEPENDENCY, Provider, ProviderKind
from wheel_variants.manifest_values import FEATURE, TEXT, Features, Values
from wheel_variants.properties import SupportedFeature
from wheel_variants.safe_repr import safe_repr

__all__ = ["read_providers"]

#: The maximum number of packages that a provider may require. Real providers require one or
#: two.
_MAX_REQUIRES = 16

#: A provider has exactly one of these keys, which determines its kind (0.2).
_KINDS = ("requires", "static-properties", "builtin")
_ONLY_IN_0_2 = ("static-properties", "feature-order", "builtin")
_ONLY_IN_DRAFTS = ("plugin-use", "enable-if", "install-time")
_PLUGIN_USES = ("none", "build", "all")
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ENTRY_POINT = re.compile(rf"{_NAME}(\.{_NAME})*( *: *{_NAME}(\.{_NAME})*)?")


def read_providers(
    values: Values,
    root: dict[str, Any],
    feature_order: Mapping[str, tuple[str, ...]],
    value_order: Mapping[str, Features],
    *,
    may_be_draft: bool,
) -> dict[str, Provider]:
    """Return the providers that a manifest describes, by namespace.

    :param feature_order: the order of features in ``default-priorities`` (before 0.1.1).
    :param value_order: the order of values; in 0.0.2, also the static lists.
    :param may_be_draft: whether ``$schema`` names no version after the drafts.
    """
    readers = [
        _ProviderReader(values, namespace, provider, may_be_draft=may_be_draft)
        for namespace, _, provider in values.by_namespace(root, "providers")
        if values.is_a(dict, provider, f"the provider for {safe_repr(namespace)}")
    ]
    static: dict[str, Features] = {}
    if may_be_draft or any(each.is_draft for each in readers):
        static = values.features_by_namespace(root, "static-properties")
    return {
        each.namespace: each.read(
            feature_order.get(each.namespace, ()),
            value_order.get(each.namespace, {}),
            static.get(each.namespace, {}),
        )
        for each in readers
    }


class _ProviderReader:
    """A reader of one provider of a manifest."""

    def __init__(
        self,
        values: Values,
        namespace: str,
        provider: dict[str, Any],
        *,
        may_be_draft: bool,
    ) -> None:
        self._values = values
        self._report = values.report
        self.namespace = namespace
        self._provider = provider
        self._what = f"the provider for {safe_repr(namespace)}"
        self.is_draft = self._has(_ONLY_IN_DRAFTS) or (
            may_be_draft and not self._has(_ONLY_IN_0_2)
        )

    def _has(self, keys: Collection[str]) -> bool:
        return not self._provider.keys().isdisjoint(keys)

    def read(
        self,
        feature_order: tuple[str, ...],
        value_order: Features,
        root_static: Features,
    ) -> Provider:
        """Return the provider.

        The parameters are the parts of the manifest that describe the provider's namespace
        elsewhere.
        """
        values, provider, what = self._values, self._provider, self._what
        requires = self._requires()
        plugin_api = self._plugin_api()
        enable_if = values.text(provider, "enable-if", what)
        plugin_use = self._plugin_use()
        builtin = values.text(provider, "builtin", what)
        optional = values.boolean(provider, "optional", what, default=False)
        installed = values.boolean(provider, "install-time", what, default=True)
        self._check_kinds()

        static: Features = {}
        if "static-properties" in provider:
            kind, static = ProviderKind.STATIC, self._static()
        elif builtin is not None:
            kind = ProviderKind.BUILTIN
        elif plugin_use in ("none", "build"):  # 0.0.2
            kind, static = ProviderKind.STATIC, value_order
        elif not installed:  # 0.0.3
            kind, static = ProviderKind.STATIC, root_static
        elif requires:
            kind = ProviderKind.PLUGIN
        else:
            kind = ProviderKind.UNKNOWN
        problem = self._problem(kind, builtin, requires)
        if (
            (self.namespace, kind) == (ABI_DEPENDENCY, ProviderKind.STATIC)
            and self.is_draft
            and not any(static.values())
        ):
            # Drafts declared the built-in provider by this name only.
            kind, builtin = ProviderKind.BUILTIN, ABI_DEPENDENCY
        return Provider(
            self.namespace,
            kind,
            requires,
            plugin_api,
            optional,
            enable_if,
            tuple(
                SupportedFeature(name, static[name])
                for name in dict.fromkeys((*feature_order, *static))
                if static.get(name)
            ),
            builtin if kind is ProviderKind.BUILTIN else None,
            problem,
        )

    def _problem(
        self, kind: ProviderKind, builtin: str | None, requires: Iterable[str]
    ) -> str | None:
        """Report and return why this provider cannot be queried, or None."""
        if kind is ProviderKind.PLUGIN and any(map(_is_builtin, requires)):
            problem = (
                f"{self._what} requires {ABI_DEPENDENCY} as a package, but it is built "
                "into installers"
            )
            remedy = f'Write {{"builtin": "{ABI_DEPENDENCY}"}} instead'
            self._report("provider-requires", problem, remedy)
            return problem
        if kind is ProviderKind.BUILTIN and builtin != ABI_DEPENDENCY:
            problem = (
                f"{self._what} is the built-in {safe_repr(builtin)}, but no known "
                "installer has that provider"
            )
            self._report("provider-builtin", problem)
            return problem
        if kind is not ProviderKind.UNKNOWN:
            return None
        problem = f"{self._what} has none of {', '.join(map(repr, _KINDS))}"
        is_empty = self.is_draft and self._provider.get("requires") == []
        if is_empty or not self._has(_KINDS):
            self._report("no-provider-kind", problem, "Add one of these keys")
        return problem

    def _requires(self) -> tuple[str, ...]:
        what = f"'requires' of {self._what}"
        requires = self._values.texts(self._provider.get("requires", []), what, TEXT)
        if len(requires) > _MAX_REQUIRES:
            problem = f"{what} has more than {_MAX_REQUIRES} items"
            self._report("manifest-limits", problem)
        return requires

    def _plugin_api(self) -> str | None:
        api = self._values.text(self._provider, "plugin-api", self._what)
        if api is not None and _ENTRY_POINT.fullmatch(api) is None:
            problem = f"'plugin-api' of {self._what} is not an entry point: "
            problem += safe_repr(api)
            self._report("provider-api", problem, "Write it as package.module:Class")
        # The schemas allow spaces around the colon.
        return None if api is None else api.replace(" ", "")

    def _plugin_use(self) -> str | None:
        use = self._values.text(self._provider, "plugin-use", self._what)
        if use is not None and use not in _PLUGIN_USES:
            self._report(
                "manifest-types",
                f"'plugin-use' of {self._what} is {safe_repr(use)}, not 'none', 'build' "
                "or 'all'",
            )
        return use

    def _check_kinds(self) -> None:
        """Report a provider with several kinds, or with an incomplete kind."""
        provider, what = self._provider, self._what
        kinds = [kind for kind in _KINDS if kind in provider]
        if len(kinds) > 1:
            problem = f"{what} has {' and '.join(map(repr, kinds))}"
            self._report("provider-kind", problem, "Keep only one of these keys")
        elif not self.is_draft and provider.get("requires") == []:
            self._report("provider-kind", f"'requires' of {what} is empty")
        if (
            not self.is_draft
            and "plugin-api" in provider
            and "requires" not in provider
        ):
            self._report("provider-api", f"{what} has 'plugin-api' without 'requires'")
        if "feature-order" in provider and "static-properties" not in provider:
            problem = f"{what} has 'feature-order' without 'static-properties'"
            self._report("provider-static", problem)

    def _static(self) -> Features:
        """Return the static list of a provider (0.2) in the order of its features."""
        listed = self._provider["static-properties"]
        where = f"'static-properties' of {self._what}"
        static = self._values.features(listed, where)
        if listed == {} or (isinstance(listed, dict) and [] in listed.values()):
            # Installers accept an empty list; variantlib does not.
            self._report("empty-lists", f"{where} contains an empty list")
        what = f"'feature-order' of {self._what}"
        if "feature-order" not in self._provider:
            if len(static) > 1:
                remedy = "List each feature once, most important first"
                self._report("provider-static", f"{what} is missing", remedy)
            return static
        order = self._provider["feature-order"]
        names = self._values.texts(order, what, FEATURE, repeated=None)
        if isinstance(order, list) and (not order or sorted(names) != sorted(static)):
            problem = f"{what} must list each feature once: {safe_repr(order)}"
            self._report("provider-static", problem)
        return {name: static[name] for name in names if name in static}


def _is_builtin(requirement: str) -> bool:
    """Return whether a requirement names the provider that is built into installers."""
    name = re.match(r"[A-Za-z0-9._-]*", requirement)
    assert name is not None, "the pattern matches an empty text"
    return re.sub(r"[-_.]+", "_", name[0]).lower() == ABI_DEPENDENCY
