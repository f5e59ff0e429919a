"""``pip variants setup``: add indexes of publishers to pip's configuration.

The command contacts no index, and writes nothing without the user's confirmation. pip's own
configuration code finds and writes the file. ``publishers.toml`` lists the known indexes.
"""

from __future__ import annotations

import difflib
import os
import pkgutil
import re
import sys
from collections.abc import Iterable, Sequence
from optparse import Values
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import SUCCESS
from pip._internal.configuration import Configuration, Kind
from pip._internal.console.output import get_logger, quietly, write
from pip._internal.console.texts import Hint, without_credentials
from pip._internal.exceptions import ConfigurationError
from pip._internal.utils.compat import tomllib
from pip._internal.utils.misc import ask_input
from pip._internal.utils.virtualenv import running_under_virtualenv
from pip._internal.variants import errors
from pip._internal.variants.commands import actions
from pip._internal.variants.commands.actions import write_report
from pip._internal.variants.output.invocation import again
from pip._internal.variants.output.invocation import command as command_to_type
from pip._internal.variants.selection import scoped_indexes
from pip._internal.variants.selection.scoped_indexes import Indexes, ScopedIndex
from pip._internal.variants.settings import Settings

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

logger = get_logger(__name__)

_SECTION = "global"
_KEY = f"{_SECTION}.{scoped_indexes.KEY}"
_OTHER = "Choose another file with --user, --site or --global."


class Publisher(NamedTuple):
    """An index of a publisher; ``publishers.toml`` documents the fields."""

    name: str
    publisher: str
    url: str
    projects: Sequence[NormalizedName]
    source: str
    note: str


_TABLE = tomllib.loads(
    (pkgutil.get_data(__package__, "publishers.toml") or b"").decode()
)
#: The date of the data.
READ: str = _TABLE["read"]
#: The publishers by name, in the order of the output.
PUBLISHERS = {each["name"]: Publisher(**each) for each in _TABLE["publisher"]}


def run(command: SessionCommandMixin, options: Values, args: list[str]) -> int:
    """Show the known indexes, or add or remove the indexes of the named publishers."""
    del command  # No session: the action sends no request.
    if options.remove and not args:
        raise errors.WrongUse(
            f"{actions.REMOVE.name} needs a name: {', '.join(PUBLISHERS)}"
        )
    if options.url and len(args) != 1:
        raise errors.WrongUse(
            f"{actions.URL.name} needs exactly one name of a publisher"
        )
    with quietly(options.json):
        file = _File(options)
        publishers = [_named(file, name) for name in dict.fromkeys(args)]
        before, after = file.indexes, _changed(file, publishers)
        if not publishers:
            _show(file)
        elif after == before:
            what = "lacks" if options.remove else "already has"
            names = ", ".join(each.name for each in publishers)
            write([f"{file.path} {what} {names}."])
        else:
            _propose(file, publishers, after)
            # An invalid value in another file must not be an error after the change.
            in_force(options)
            file.write(after)
            _report_written(file, publishers)
    if options.json:
        _write_json(file, is_written=after != before)
    return SUCCESS


class _File:
    """The configuration file to change.

    :ivar options: the options of the command.
    :ivar option: the option that selects the file.
    :ivar path: the path of the file; empty if pip reads no file that it could write.
    :ivar indexes: the indexes in the file that apply to all commands.
    """

    def __init__(self, options: Values) -> None:
        """Find the file that the user selected, or else the environment's default file.

        :raises ContradictoryOptions: if the user typed several files.
        :raises UnusableConfiguration: if an index in the file is invalid.
        """
        self.options = options
        kinds = Kind.USER, Kind.SITE, Kind.GLOBAL
        rows = dict(
            zip(kinds, (actions.USER, actions.SITE, actions.GLOBAL), strict=True)
        )
        # PIP_USER is for pip install.
        typed = [kind for kind in kinds if Settings(options).is_typed(rows[kind].name)]
        if len(typed) > 1:
            both = rows[typed[0]].name, rows[typed[1]].name
            raise errors.ContradictoryOptions(*both, "pip writes only one file.")
        kind = Kind.SITE if running_under_virtualenv() else Kind.USER
        if os.path.exists(os.environ.get("PIP_CONFIG_FILE", "")):
            # Upstream then edits that file instead of the user's file.
            kind = Kind.USER
        kind = typed[0] if typed else kind
        self.option = rows[kind].name
        self._repeated = (self.option,) if typed else ()
        self._configuration = Configuration(options.isolated_mode, load_only=kind)
        self._configuration.load()
        self.path = self._configuration.get_file_to_edit() or ""
        try:
            value = self._configuration.get_value(_KEY)
        except ConfigurationError:
            value = ""
        self.indexes = scoped_indexes.parse_indexes(value)
        file = Path(self.path)
        try:
            #: The content before the change; None if there is no file.
            self.before = file.read_bytes() if file.is_file() else None
        except OSError as error:
            why = f"pip cannot read the file: {errors.describe_error(error)}."
            raise errors.UnusableConfiguration(self.path, why, _OTHER) from None

    def command(self, *words: str) -> str:
        """Return a ``pip variants setup`` command for the same file."""
        words = ("variants", "setup", *words, *self._repeated)
        return command_to_type(self.options, *words)

    def write(self, indexes: Iterable[ScopedIndex]) -> None:
        """Write *indexes*, or remove the key if *indexes* is empty.

        :raises UnusableConfiguration: if the file cannot be written.
        """
        value = "\n".join(each.written for each in indexes)
        file = Path(self.path)
        before = self.before
        try:
            if value:
                self._configuration.set_value(_KEY, value)
            else:
                self._configuration.unset_value(_KEY)
            self._configuration.save()
        except (OSError, ConfigurationError) as error:
            # Upstream overwrites the file, which a full disk truncates.
            if before is None:
                if file.is_file():
                    file.unlink()
            elif before != file.read_bytes():
                file.write_bytes(before)
            # Upstream's error repeats the path.
            why = f"pip cannot write the file: {errors.describe_error(error.__context__ or error)}."
            raise errors.UnusableConfiguration(self.path, why, _OTHER) from error


def _named(file: _File, name: str) -> Publisher:
    """Return the publisher with this name; a typed URL replaces the publisher's URL.

    :raises WrongUse: if there is no such publisher.
    """
    publisher = PUBLISHERS.get(name.lower())
    if publisher is None:
        near = difflib.get_close_matches(name.lower(), PUBLISHERS, 1)
        meant = f" Did you mean '{near[0]}'?" if near else ""
        edit = command_to_type(file.options, "config", "edit", file.option)
        raise errors.WrongUse(
            f"pip knows no publisher {name!r}.{meant} Known publishers: "
            f"{', '.join(PUBLISHERS)}. For any other index, add {scoped_indexes.FORM} to "
            f"{scoped_indexes.KEY}, in section [{_SECTION}]: {edit}"
        )
    return publisher._replace(url=file.options.url or publisher.url)


def _bare(url: str) -> str:
    return without_credentials(url, "").replace("://@", "://")


def _is_at(index: ScopedIndex | None, publisher: Publisher) -> bool:
    """Return whether an index belongs to a publisher, ignoring credentials."""
    return index is not None and _bare(index.url) == _bare(publisher.url)


def _changed(file: _File, publishers: Sequence[Publisher]) -> list[ScopedIndex]:
    """Return the new value of the configuration key.

    :raises IndexTaken: if a project already has another index.
    :raises ContradictoryOptions: if the file or two publishers contradict each other.
    """
    after = file.indexes
    for each in publishers:
        if file.options.remove:
            after = [left for index in after for left in _without(index, each)]
            continue
        after = [_renewed(index, each) for index in after]
        there = scoped_indexes.by_project([after])
        for project in each.projects:
            index = there.get(project)
            if index is not None and not _is_at(index, each):
                if index not in file.indexes:
                    several = f"Several of these publishers have '{project}'."
                    raise errors.IndexTaken(several, hint="Name only one of them.")
                url = _bare(index.url)
                words = (actions.REMOVE.name, each.name, actions.URL.name, url)
                hint = Hint("To use another index, first run:", file.command(*words))
                raise errors.IndexTaken(f"'{project}' comes from {url}.", hint=hint)
        lacking = tuple(name for name in each.projects if name not in there)
        if lacking:
            after = [*after, ScopedIndex(lacking, each.url)]
    return after


def _renewed(index: ScopedIndex, publisher: Publisher) -> ScopedIndex:
    """Return an index with the credentials of a publisher's typed URL, if any."""
    has_new = _is_at(index, publisher) and _bare(publisher.url) != publisher.url
    return index._replace(url=publisher.url) if has_new else index


def _without(index: ScopedIndex, publisher: Publisher) -> list[ScopedIndex]:
    """Return an index without the projects of a publisher; empty if no project remains."""
    if not _is_at(index, publisher):
        return [index]
    left = tuple(name for name in index.projects if name not in publisher.projects)
    return [index._replace(projects=left)] if left else []


def in_force(options: Values) -> dict[NormalizedName, ScopedIndex]:
    """Return the index of each project in the whole configuration."""
    configuration = Configuration(isolated=options.isolated_mode)
    configuration.load()
    return scoped_indexes.by_project(scoped_indexes.configured(configuration))


def _is_set_up(indexes: Indexes, publisher: Publisher) -> bool:
    return all(_is_at(indexes.get(each), publisher) for each in publisher.projects)


def _show(file: _File) -> None:
    """Show all known indexes."""
    write(["Publishers' indexes with variants:"])
    indexes = in_force(file.options)
    for each in PUBLISHERS.values():
        is_set_up = ", set up" if _is_set_up(indexes, each) else ""
        write(["", f"{each.name} ({each.publisher}){is_set_up}"])
        write([f"  {each.url}", f"  {', '.join(each.projects)}"])
        write([f"  {each.note}"] if each.note else [])
        write([f"  Source: {each.source}."] if file.options.verbose else [])
    hint = (
        f"This list was compiled on {READ}; nobody has tried these indexes with this "
        "pip. pip contacts no index and writes nothing until you confirm. To install "
        "these projects only from their publisher's index:"
    )
    write(["", Hint(hint, file.command("NAME"))])


def _propose(
    file: _File, publishers: Iterable[Publisher], after: Sequence[ScopedIndex]
) -> None:
    """Show the planned change, and ask for confirmation.

    :raises UnusableConfiguration: if there is no file to write.
    :raises WrongUse: if the user does not confirm, or pip cannot ask.
    """
    options = file.options
    if not file.path:
        why = "With --isolated, pip reads no user configuration."
        hint = "Choose another file with --site or --global."
        if os.environ.get("PIP_CONFIG_FILE") == os.devnull:
            why = f"PIP_CONFIG_FILE is {os.devnull}, so pip reads no configuration."
            hint = "Remove that variable."
        raise errors.UnusableConfiguration("The configuration", why, hint)
    for each in () if options.remove else publishers:
        write([f"{each.name} ({each.publisher}; listed {READ}, untested)"])
        write([f"  {', '.join(each.projects)}"])
        write([f"  {each.note}"] if each.note else [])
    lines = [f"  {each}" for each in after] or [f"  (no {scoped_indexes.KEY})"]
    if re.search(rb"(?m)^\s*[#;]", file.before or b""):
        write([f"Comments in {file.path} would be lost."])
    write([f"Section [{_SECTION}] of {file.path} would contain this:", *lines])
    # PIP_YES is for pip uninstall.
    if not Settings(options).is_typed(actions.YES.name):
        _confirm(options)


def _confirm(options: Values) -> None:
    """Ask for confirmation.

    :raises WrongUse: if the user does not confirm, or pip cannot ask.
    """
    # A service may have no standard input.
    is_hidden = options.json or int(options.quiet) > int(options.verbose)
    can_ask = sys.stdin is not None and sys.stdin.isatty() and not options.no_input
    if is_hidden or not can_ask:
        yes = again(options, actions.YES.name)
        raise errors.WrongUse(
            "pip wrote nothing, because pip cannot ask for confirmation here. To "
            f"confirm: {yes}"
        )
    try:
        answer = ask_input("Write the file? [y/N] ").strip().lower()
    except EOFError:
        answer = ""
    if answer not in ("y", "yes"):
        raise errors.WrongUse("pip wrote nothing")


def _report_written(file: _File, publishers: Sequence[Publisher]) -> None:
    """Report the change, settings that override it, and the next command."""
    options = file.options
    names = [each.name for each in publishers]
    if options.remove:
        write([f"Removed {', '.join(names)}."])
        return
    indexes = in_force(options)
    for each in publishers:
        if not _is_set_up(indexes, each):
            logger.warning(
                "Another file or variable takes precedence and names another index "
                "for projects of %s",
                each.name,
            )
    url = (actions.URL.name, _bare(options.url)) if options.url else ()
    undo = file.command(actions.REMOVE.name, *names, *url)
    install = command_to_type(options, "install", publishers[0].projects[0])
    write([f"{', '.join(names)}: set up.", Hint("To install:", install)])
    write([Hint("To undo the change:", undo)])


def _write_json(file: _File, *, is_written: bool) -> None:
    indexes = in_force(file.options)
    write_report(
        {
            "read": READ,
            "publishers": [
                {**each._asdict(), "is_set_up": _is_set_up(indexes, each)}
                for each in PUBLISHERS.values()
            ],
            "file": file.path or None,
            "is_written": is_written,
            scoped_indexes.KEY: [str(each) for each in _File(file.options).indexes],
        }
    )
