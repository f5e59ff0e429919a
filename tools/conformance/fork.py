"""Run the cases with the assembled fork: its copies of core and packaging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.tests.conformance import Model

__all__ = ["ForkModel"]


class ForkModel(Model):
    """The model of core, except that the fork's ``packaging`` parses labels and markers."""

    def __init__(self) -> None:
        super().__init__("pip._vendor.wheel_variants", "pip._vendor.packaging")

    def parse_wheel_filename(self, filename: str) -> Any:
        """Parse the file name of a wheel, which may have a label."""
        return self.packaging.utils.parse_wheel_filename(filename)

    def evaluate(self, given: Mapping[str, Any], variant: Any) -> bool:
        """Evaluate a marker for a variant, and for the rest of the environment."""
        marker = self.packaging.markers.Marker(given["marker"])
        with self.packaging._variants.during(variant):
            return bool(marker.evaluate(given.get("environment", {})))
