"""A machine that supports whatever manifests describe: a lock file is for all machines."""

from __future__ import annotations

from collections.abc import Iterable

from pip._internal.variants.core import abi_dependency
from pip._internal.variants.core.answer import Answer
from pip._internal.variants.core.manifest import ABI_DEPENDENCY, Manifest
from pip._internal.variants.core.properties import SupportedFeature
from pip._internal.variants.machine.chain import Providers

__all__ = ["Declared"]


class Declared(Providers):
    """The answers of no machine: every property that a variant declares is supported."""

    def __init__(self) -> None:
        super().__init__(environ={}, environment={}, hardware=False)

    def ask(
        self,
        manifest: Manifest,
        namespaces: Iterable[str],
        project: str | None = None,
    ) -> dict[str, Answer]:
        """Give all that the variants of *manifest* declare in *namespaces*."""
        return {
            namespace: self._declared(manifest, namespace, project)
            for namespace in namespaces
        }

    def _declared(
        self, manifest: Manifest, namespace: str, project: str | None
    ) -> Answer:
        if manifest.provider(namespace).builtin == ABI_DEPENDENCY:
            # Here the resolver has a say, whatever the machine.
            return abi_dependency.answer(manifest, namespace, None, project)
        declared: dict[str, dict[str, None]] = {}
        for variant in manifest.variants.values():
            for feature, values in variant.features.get(namespace, {}).items():
                declared.setdefault(feature, {}).update(dict.fromkeys(values))
        features = (
            SupportedFeature(feature, tuple(sorted(declared[feature])))
            for feature in sorted(declared)
        )
        return Answer(tuple(features), "the variants manifest")
