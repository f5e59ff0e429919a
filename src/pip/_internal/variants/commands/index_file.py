"""The file of pip's configuration that names indexes for certain projects."""

from __future__ import annotations

import optparse
import os
from pathlib import Path

from pip._internal.configuration import OVERRIDE_ORDER, Configuration, Kind
from pip._internal.console.texts import Hint
from pip._internal.exceptions import ConfigurationError
from pip._internal.utils.virtualenv import running_under_virtualenv
from pip._internal.variants.commands.options import GLOBAL, SITE, USER
from pip._internal.variants.commands.publishers import Publisher, bare, taken
from pip._internal.variants.errors import (
    ContradictoryOptions,
    InvalidOption,
    UnusableConfiguration,
    in_words,
)
from pip._internal.variants.output.invocation import command as command_to_type
from pip._internal.variants.selection.scoped_indexes import (
    KEY,
    ConfiguredPlace,
    by_project,
    configured,
    in_force,
    scoped_index,
)
from pip._internal.variants.selection.settings import Settings

__all__ = ["NAME", "SECTION", "IndexFile", "effective"]

#: The key of pip's configuration is both, with a dot between.
SECTION, NAME = "global", KEY
_KEY = f"{SECTION}.{NAME}"
#: The options that name a file.
_OPTIONS = {Kind.USER: USER, Kind.SITE: SITE, Kind.GLOBAL: GLOBAL}
_ANOTHER = "Choose another file with one of --user, --site, --global."


def _places(options: optparse.Values) -> list[ConfiguredPlace]:
    """Return the places of the configuration that name indexes, the strongest last."""
    configuration = Configuration(isolated=options.isolated_mode)
    configuration.load()
    return configured(configuration)


def effective(options: optparse.Values) -> str:
    """Return what all places of the configuration say together, the strongest last."""
    return " ".join(each.value for each in in_force(_places(options)))


def _typed(options: optparse.Values) -> Kind | None:
    """Return which file an option names.

    :raises ContradictoryOptions: if several do.
    """
    value = Settings(options).value
    typed = [kind for kind, row in _OPTIONS.items() if value(row)]
    if len(typed) > 1:
        first, second = (_OPTIONS[kind].name for kind in typed[:2])
        raise ContradictoryOptions(first, second, "One file is written.")
    return typed[0] if typed else None


def _usual(options: optparse.Values) -> Kind:
    """Return which file is written if none was typed: the one that counts already.

    If none says anything, it is that of the environment.
    """
    for each in reversed(_places(options)):
        if each.kind is not Kind.ENV_VAR and each.section == SECTION:
            # Upstream edits the file of the variable in place of the user's.
            return Kind.USER if each.kind is Kind.ENV else each.kind
    is_named = os.path.exists(os.environ.get("PIP_CONFIG_FILE", ""))
    return Kind.USER if is_named or not running_under_virtualenv() else Kind.SITE


class IndexFile:
    """The file that is to be written: pip's own configuration code finds and writes it.

    :ivar path: of the file; empty if there is none that could be written.
    :ivar value: what it says; may be empty.
    :ivar has_comments: whether it has any, once it was checked. They are not kept.
    """

    has_comments = False

    def __init__(self, options: optparse.Values) -> None:
        """Find the file: the one that was typed, or counts already, or is usual.

        :raises ContradictoryOptions: if several were typed.
        """
        self._options = options
        typed = _typed(options)
        kind = typed or _usual(options)
        self._option = _OPTIONS[kind].name
        self._repeated = [self._option] if typed else []
        self._configuration = Configuration(options.isolated_mode, load_only=kind)
        self._configuration.load()
        self.path = self._configuration.get_file_to_edit() or ""
        loaded = map(self._configuration.get_values_in_config, OVERRIDE_ORDER)
        values = (each.get(self.path, {}).get(_KEY) for each in loaded)
        self.value: str = next(filter(None, values), "").strip()

    def overridden_by(self, publisher: Publisher) -> str | None:
        """Return the place that names another index for a project of a publisher, if any."""
        for each in reversed(_places(self._options)):
            if (each.path, each.section) == (self.path, SECTION):
                break
            if {*taken(each.value, publisher).values()} - {bare(publisher.url)}:
                return each.name
        return None

    def command(self, *words: str) -> str:
        """Return a ``pip variants setup`` to type, for the same file as this one."""
        words = ("variants", "setup", *words, *self._repeated)
        return command_to_type(self._options, *words)

    def edit(self) -> str:
        """Return what to type to edit the file by hand."""
        return command_to_type(self._options, "config", "edit", self._option)

    def check(self, *, is_added: bool) -> None:
        """Check that nothing is lost if the file is written.

        :param is_added: whether something is to be added to it.
        :raises UnusableConfiguration: if it cannot be read, or what it says is broken.
        """
        if not self.path:
            raise self._no_file()
        try:
            # Upstream takes one that it may not read for empty.
            if os.path.exists(self.path):
                with open(self.path, encoding="utf-8", errors="replace") as file:
                    begun = [line.lstrip()[:1] for line in file]
                self.has_comments = not {"#", ";"}.isdisjoint(begun)
            if is_added:
                by_project([[scoped_index(NAME, text) for text in self.value.split()]])
            return
        except OSError as error:
            raise self._unusable(f"It cannot be read: {in_words(error)}.") from error
        except InvalidOption as error:
            problem = str(error)
        except ContradictoryOptions as error:
            problem = f"{error.message} {error.context}"
        unset = command_to_type(self._options, "config", "unset", _KEY, self._option)
        raise self._unusable(
            f"Its {NAME}, below [{SECTION}], is broken, so that pip could install "
            f"nothing: {problem}",
            Hint("To mend it:", self.edit()),
            Hint(f"To take out all that {NAME} says there:", unset),
        )

    def _unusable(self, why: str, *hints: str) -> UnusableConfiguration:
        return UnusableConfiguration(self.path, why, hints or _ANOTHER)

    def _no_file(self) -> UnusableConfiguration:
        """Return why upstream has no file to write."""
        if os.environ.get("PIP_CONFIG_FILE") == os.devnull:
            why = f"It is {os.devnull}, so that pip reads no configuration file."
            hint = "Unset it, or let it name a file."
            return UnusableConfiguration("PIP_CONFIG_FILE", why, hint)
        return UnusableConfiguration(
            "The user's configuration file",
            "With --isolated, pip does not read the user's file.",
            f"Leave --isolated out, or name {SITE.name} or {GLOBAL.name}.",
        )

    def write(self, value: str) -> None:
        """Write a value, or leave the key out if that is empty.

        :raises UnusableConfiguration: if it cannot be; then the file is as it was.
        """
        before = self._content()
        try:
            try:
                if value:
                    self._configuration.set_value(_KEY, value)
                else:
                    self._configuration.unset_value(_KEY)
                self._configuration.save()
            except (OSError, ConfigurationError):
                # Upstream writes into the file itself, which a full disk cuts off.
                if before is None:
                    Path(self.path).unlink(missing_ok=True)
                elif before != self._content():
                    Path(self.path).write_bytes(before)
                raise
        except (OSError, ConfigurationError) as error:
            # Upstream's own error repeats the path, which stands above it.
            problem = in_words(error.__context__ or error)
            raise self._unusable(f"It cannot be written: {problem}.") from error

    def _content(self) -> bytes | None:
        return Path(self.path).read_bytes() if os.path.exists(self.path) else None
