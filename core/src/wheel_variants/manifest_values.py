"""Read the values of a manifest, and report values of the wrong type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from wheel_variants.properties import (
    is_valid_feature_name,
    is_valid_namespace,
    is_valid_value,
)
from wheel_variants.safe_repr import safe_repr

__all__ = [
    "FEATURE",
    "NAMESPACE",
    "TEXT",
    "VALUE",
    "Features",
    "Report",
    "TextKind",
    "Values",
]

#: Characters of requirements and markers, which are slow to parse; real ones are short.
_MAX_TEXT = 500

_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    **dict.fromkeys((int, float), "a number"),
    type(None): "null",
}

#: Values by feature, the preferred ones first.
Features = dict[str, tuple[str, ...]]


class Report(Protocol):
    """A function that receives the broken rules of a manifest."""

    def __call__(self, rule: str, problem: str, remedy: str | None = None, /) -> object:
        """Record a broken rule.

        :param rule: the name of the rule.
        :param problem: the problem in lowercase, without a final period.
        :param remedy: the remedy, as a sentence without its period.
        """


class TextKind(NamedTuple):
    """A kind of text.

    :ivar name: the name of the kind, for messages.
    :ivar rule: the rule that invalid text breaks.
    :ivar limit: the limits of valid text, for messages.
    """

    name: str
    is_valid: Callable[[str], bool]
    rule: str = "property"
    limit: str | None = None


NAMESPACE = TextKind("namespace", is_valid_namespace)
FEATURE = TextKind("feature", is_valid_feature_name)
VALUE = TextKind("value", is_valid_value)
# Messages quote such text, so it must not contain lone surrogates, which cannot be
# written, or characters that control a terminal.
TEXT = TextKind(
    "text",
    lambda text: len(text) <= _MAX_TEXT and text.isprintable(),
    "manifest-limits",
    f"at most {_MAX_TEXT} printable characters are allowed",
)


class Values:
    """A reader of one manifest's values, which reports and omits invalid values."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def is_a(self, kind: type, value: object, what: str) -> bool:
        """Return whether a value has the type *kind*, and report any other value."""
        if type(value) is kind:
            return True
        found = _KINDS.get(type(value), f"a {type(value).__name__}")
        self.report("manifest-types", f"{what} is {found}, not {_KINDS[kind]}")
        return False

    def is_valid(self, text: str, what: str, kind: TextKind) -> bool:
        """Return whether *text* is a valid *kind*, and report invalid text.

        :param what: the part of the manifest that contains the text, for messages.
        """
        if kind.is_valid(text):
            return True
        problem = f"invalid {kind.name} {safe_repr(text)} in {what}"
        self.report(kind.rule, f"{problem}: {kind.limit}" if kind.limit else problem)
        return False

    def table(self, value: Any, what: str) -> dict[str, Any]:
        """Return *value* if it is an object, or else an empty object."""
        table: dict[str, Any] = value if self.is_a(dict, value, what) else {}
        return table

    def required(self, parent: dict[str, Any], key: str) -> dict[str, Any] | None:
        """Return a required object, or None if it is missing or invalid."""
        if key not in parent:
            self.report("missing-keys", f"missing key {key!r}", "Add the key")
            return None
        value: dict[str, Any] = parent[key]
        return value if self.is_a(dict, value, repr(key)) else None

    def by_namespace(
        self, parent: dict[str, Any], path: str
    ) -> Iterator[tuple[str, str, Any]]:
        """Yield each valid namespace in a table, with the value of the namespace.

        The table may be missing.

        :param path: the path of the table; its last part is the key.
        :return: the namespace, the name of the value in messages, and the value.
        """
        key = path.rpartition(".")[2]
        for namespace, value in self.table(parent.get(key, {}), repr(path)).items():
            if self.is_valid(namespace, repr(path), NAMESPACE):
                yield namespace, f"'{path}.{namespace}'", value

    def features_by_namespace(
        self, parent: dict[str, Any], path: str
    ) -> dict[str, Features]:
        """Return the lists of values in a table, by namespace and feature."""
        return {
            namespace: self.features(features, what)
            for namespace, what, features in self.by_namespace(parent, path)
        }

    def features(self, listed: object, what: str, least: int = 0) -> Features:
        """Return ``{feature: [value, …]}``; a repeated value counts once.

        :param least: the minimum number of values of a feature.
        """
        features = {}
        for feature, values in self.table(listed, what).items():
            if not self.is_valid(feature, what, FEATURE):
                continue
            where = f"{feature!r} in {what}"
            found = self.texts(values, where, VALUE)
            if len(found) > 1:
                found = tuple(dict.fromkeys(found))
            elif least and values == []:
                self.report("property", f"{where} has no values")
            features[feature] = found
        return features

    def texts(
        self,
        value: Any,
        what: str,
        kind: TextKind,
        *,
        repeated: str | None = "repeated-values",
    ) -> tuple[str, ...]:
        """Return the valid texts in a list.

        :param repeated: the rule that a repeated text breaks, if any.
        """
        if not self.is_a(list, value, what):
            return ()
        for item in value:
            if type(item) is not str or not kind.is_valid(item):
                break
        else:
            if repeated and len(value) > 1 and len(set(value)) != len(value):
                self.report(repeated, f"repeated item in {what}: {safe_repr(value)}")
            return tuple(value)
        return tuple(
            item
            for item in value
            if self.is_a(str, item, f"an item of {what}")
            and self.is_valid(item, what, kind)
        )

    def text(self, parent: dict[str, Any], key: str, what: str) -> str | None:
        """Return a valid text, or None if it is missing or invalid."""
        value, what = parent.get(key, ""), f"{key!r} of {what}"
        is_text = self.is_a(str, value, what) and self.is_valid(value, what, TEXT)
        return str(value) if is_text and key in parent else None

    def boolean(
        self, parent: dict[str, Any], key: str, what: str, *, default: bool
    ) -> bool:
        """Return a boolean, or *default* if it is missing or invalid."""
        value, what = parent.get(key, default), f"{key!r} of {what}"
        return value is True if self.is_a(bool, value, what) else default
