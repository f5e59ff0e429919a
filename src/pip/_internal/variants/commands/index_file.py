"""The file of pip's configuration that names indexes for certain projects."""

from __future__ import annotations

import optparse
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from tempfile import mkstemp
from typing import TextIO

from pip._internal.configuration import Configuration, Kind
from pip._internal.console.texts import Hint
from pip._internal.exceptions import ConfigurationError
from pip._internal.fast.space import space_for
from pip._internal.utils.filesystem import replace
from pip._internal.utils.unpacking import current_umask
from pip._internal.utils.virtualenv import running_under_virtualenv
from pip._internal.variants.commands.options import GLOBAL, SITE, USER
from pip._internal.variants.commands.publishers import Publisher, taken
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
    scoped_index,
)
from pip._internal.variants.selection.settings import Settings

__all__ = ["NAME", "SECTION", "IndexFile", "is_configured"]

#: The key of pip's configuration is both, with a dot between.
SECTION, NAME = "global", KEY
_KEY = f"{SECTION}.{NAME}"
#: The options that name a file.
_OPTIONS = {Kind.USER: USER, Kind.SITE: SITE, Kind.GLOBAL: GLOBAL}
_NAMES = tuple(row.name for row in _OPTIONS.values())
_ANOTHER = f"Choose another file with one of {', '.join(_NAMES)}."


def _places(*, isolated: bool) -> list[ConfiguredPlace]:
    """Return the places of the configuration that name indexes, the strongest last."""
    configuration = Configuration(isolated=isolated)
    configuration.load()
    return configured(configuration)


def _effective(places: Iterable[ConfiguredPlace]) -> str:
    """Return what all places say together, the strongest last."""
    said: list[str] = []
    for each in places:
        if not each.value:
            said.clear()
        said += each.value.split()
    return " ".join(said)


def is_configured(options: optparse.Values) -> bool:
    """Tell whether any index is configured for certain projects."""
    return bool(_effective(_places(isolated=options.isolated_mode)))


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


def _usual(places: Sequence[ConfiguredPlace]) -> Kind:
    """Return which file is written if none was typed: the one that counts already.

    If none says anything, it is that of the environment. A file that PIP_CONFIG_FILE names
    and that is not there is none, as for upstream.
    """
    for each in reversed(places):
        if each.kind is not Kind.ENV_VAR and each.section == SECTION:
            # Upstream edits the file of the variable in place of the user's.
            return Kind.USER if each.kind is Kind.ENV else each.kind
    if os.path.exists(os.environ.get("PIP_CONFIG_FILE", "")):
        return Kind.USER
    return Kind.SITE if running_under_virtualenv() else Kind.USER


class IndexFile:
    """The file that is to be written, and what other places say.

    :ivar path: of the file; empty if there is none that could be written.
    :ivar value: what it says; may be empty.
    :ivar has_comments: whether it has any, once it was checked. They are not kept.
    """

    def __init__(self, options: optparse.Values) -> None:
        """Find the file: the one that was typed, or counts already, or is usual.

        :raises ContradictoryOptions: if several were typed.
        """
        self._options = options
        typed = _typed(options)
        self._isolated = options.isolated_mode
        places = _places(isolated=self._isolated)
        kind = typed or _usual(places)
        self._option = _OPTIONS[kind].name
        self._typed = [self._option] if typed else []
        self._configuration = Configuration(isolated=self._isolated, load_only=kind)
        self._configuration.load()
        self.path = self._configuration.get_file_to_edit() or ""
        own = (each.value for each in places if self._is_own(each))
        self.value = next(own, "") if self.path else ""
        self.has_comments = False

    def _is_own(self, place: ConfiguredPlace) -> bool:
        return place.path == self.path and place.section == SECTION

    @property
    def effective(self) -> str:
        """What all places say now, the strongest last."""
        return _effective(_places(isolated=self._isolated))

    def overridden_by(self, publisher: Publisher) -> str | None:
        """Return the place that names another index for a project of a publisher, if any."""
        for each in reversed(_places(isolated=self._isolated)):
            if self._is_own(each):
                break
            if any(
                url != publisher.url for url in taken(each.value, publisher).values()
            ):
                return each.name
        return None

    def command(self, *words: str) -> str:
        """Return a ``pip variants setup`` to type, for the same file as this one."""
        return command_to_type(self._options, "variants", "setup", *words, *self._typed)

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
            with open(self.path, encoding="utf-8", errors="replace") as file:
                begun = (line.lstrip()[:1] for line in file)
                self.has_comments = any(each in ("#", ";") for each in begun)
        except FileNotFoundError:
            self.has_comments = False
        except OSError as error:
            raise self._unusable(f"It cannot be read: {in_words(error)}.") from error
        if not is_added:
            return
        problem = _broken(self.value)
        if problem:
            words = "config", "unset", _KEY, self._option
            raise self._unusable(
                f"Its {NAME}, below [{SECTION}], is broken, so that pip could install "
                f"nothing: {problem}",
                Hint("To mend it:", self.edit()),
                Hint(
                    f"To take out all that {NAME} says there:",
                    command_to_type(self._options, *words),
                ),
            )

    def _unusable(self, why: str, *hints: str) -> UnusableConfiguration:
        return UnusableConfiguration(self.path, why, hints or _ANOTHER)

    def _no_file(self) -> UnusableConfiguration:
        """Return why upstream has no file to write."""
        what, why, hint = (
            "The user's configuration file",
            "With --isolated, pip does not read the user's file.",
            f"Leave --isolated out, or name {SITE.name} or {GLOBAL.name}.",
        )
        if os.environ.get("PIP_CONFIG_FILE") == os.devnull:
            what, hint = "PIP_CONFIG_FILE", "Unset it, or let it name a file."
            why = f"It is {os.devnull}, so that pip reads no configuration file."
        return UnusableConfiguration(what, why, hint)

    def write(self, value: str) -> None:
        """Write a value, or leave the key out if that is empty.

        :raises UnusableConfiguration: if it cannot be; then the file is as it was.
        """
        path, mode = os.path.realpath(self.path), None
        try:
            if value:
                self._configuration.set_value(_KEY, value)
            else:
                self._configuration.unset_value(_KEY)
            if os.path.exists(path):
                # One that may not be written may not be replaced either.
                with open(path, "r+b") as file:
                    mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            # Upstream would write into the file itself, which a full disk cuts off.
            ((_, parser),) = self._configuration._modified_parsers
            with _replacing(path, mode) as file:
                parser.write(file)
        except (OSError, ConfigurationError) as error:
            problem = f"It cannot be written: {in_words(error)}."
            raise self._unusable(problem) from error


@contextmanager
def _replacing(path: str, mode: int | None) -> Iterator[TextIO]:
    """Open a file that replaces *path* once it is complete.

    :param mode: its permissions; None for those of any new file.
    """
    folder, name = os.path.split(path)
    with space_for(0, folder):
        descriptor, temporary = mkstemp(dir=folder, prefix=f".{name[:80]}.")
        try:
            with open(descriptor, "w") as file:
                yield file
            os.chmod(temporary, 0o666 & ~current_umask() if mode is None else mode)
            replace(temporary, path)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


def _broken(value: str) -> str:
    """Return what is wrong with a value, without credentials; empty for nothing."""
    try:
        by_project([[scoped_index(NAME, text) for text in value.split()]])
    except InvalidOption as error:
        return str(error)
    except ContradictoryOptions as error:
        return f"{error.message} {error.context}"
    return ""
