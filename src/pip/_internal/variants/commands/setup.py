"""``pip variants setup``: write the indexes of publishers into pip's configuration.

Nothing is asked of an index here, and nothing is written before the user says so.
"""

from __future__ import annotations

import contextlib
import difflib
import optparse
import os
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import SUCCESS
from pip._internal.configuration import (
    OVERRIDE_ORDER,
    Configuration,
    Kind,
)
from pip._internal.console.output import get_logger, only_output, write, write_document
from pip._internal.console.texts import Hint
from pip._internal.exceptions import ConfigurationError
from pip._internal.utils.misc import ask_input, redact_auth_from_url
from pip._internal.utils.virtualenv import running_under_virtualenv
from pip._internal.variants.choice.invocation import again
from pip._internal.variants.choice.invocation import command as command_to_type
from pip._internal.variants.choice.publishers import (
    KEY,
    PUBLISHERS,
    READ,
    Publisher,
    added,
    removed,
    taken,
)
from pip._internal.variants.errors import (
    ContradictoryOptions,
    IndexTaken,
    UnusableConfiguration,
    WrongUse,
    in_words,
)

logger = get_logger(__name__)

_NAME = KEY.partition(".")[2]
_VARIABLE = f"PIP_{_NAME.upper().replace('-', '_')}"
_BY_NAME = {each.name: each for each in PUBLISHERS}


def run(command: SessionCommandMixin, options: optparse.Values, args: list[str]) -> int:
    """Show the known indexes, or write or remove those that are named."""
    del command  # No session: nothing is asked of any server.
    publishers = _named(args)
    if options.remove and not publishers:
        raise WrongUse(f"--remove needs a name: {', '.join(_BY_NAME)}")
    with only_output(options):
        target = _Target.of(options)
        if not publishers:
            _show(options, target)
            publishers = _chosen(options)
        before = after = target.value
        if publishers:
            after = _changed(options, target, publishers)
            if after != before:
                _propose(options, target, publishers, after)
                target.write(after)
            _tell(options, target, publishers, is_new=after != before)
    if options.json:
        _write_json(target, after, is_written=after != before)
    return SUCCESS


def _named(names: Sequence[str]) -> list[Publisher]:
    """Return the publishers with these names.

    :raises WrongUse: if one is unknown.
    :raises ContradictoryOptions: if two are for the same project.
    """
    found: list[Publisher] = []
    for name in dict.fromkeys(names):
        publisher = _BY_NAME.get(name.lower())
        if publisher is None:
            near = difflib.get_close_matches(name.lower(), _BY_NAME, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise WrongUse(
                f"{name!r} is no publisher that is known.{meant} Known are "
                f"{', '.join(_BY_NAME)}. For any other index: pip config set {KEY} "
                "PROJECT[,PROJECT...]=URL"
            )
        for other in found:
            shared = [each for each in publisher.projects if each in other.projects]
            if shared:
                why = f"{shared[0]} comes from one index alone."
                raise ContradictoryOptions(other.name, publisher.name, why)
        found.append(publisher)
    return found


class _Said(NamedTuple):
    """What one place of the configuration says of variant indexes."""

    kind: Kind
    where: str
    value: str


class _Target:
    """The configuration file that is to be written, and what others say.

    :ivar kind: that the user calls the file.
    :ivar path: of the file.
    :ivar value: what it says; where it says nothing, what pip goes by otherwise, which
        would count no more beside a value here.
    :ivar effective: what pip goes by now.
    :ivar stronger: what counts in place of the file.
    """

    def __init__(self, kind: Kind, said: Sequence[_Said], *, isolated: bool) -> None:
        self.kind = kind
        self._configuration = Configuration(isolated=isolated, load_only=kind)
        self._configuration.load()
        path = self._configuration.get_file_to_edit()
        if path is None:
            raise UnusableConfiguration(
                "PIP_CONFIG_FILE",
                f"It is {os.environ.get('PIP_CONFIG_FILE')}, so that pip reads no "
                "configuration file.",
                "Unset it, or let it name a file.",
            )
        self.path = path
        own = next((each.value for each in said if each.where == path), None)
        rank = OVERRIDE_ORDER.index(kind)
        if kind is Kind.USER and path == os.environ.get("PIP_CONFIG_FILE"):
            rank = OVERRIDE_ORDER.index(Kind.ENV)
        weaker = [each for each in said if OVERRIDE_ORDER.index(each.kind) < rank]
        self.stronger = [
            each for each in said if OVERRIDE_ORDER.index(each.kind) > rank
        ]
        self.has_own = own is not None
        self.inherited = weaker[-1] if own is None and weaker else None
        inherited = "" if self.inherited is None else self.inherited.value
        self.value = inherited if own is None else own
        self.effective = said[-1].value if said else ""

    @classmethod
    def of(cls, options: optparse.Values) -> _Target:
        """Find the file: the one that was typed, or has such indexes, or is usual.

        :raises ContradictoryOptions: if several were typed.
        """
        kinds = {
            "--user": (Kind.USER, options.user_file),
            "--global": (Kind.GLOBAL, options.global_file),
            "--site": (Kind.SITE, options.site_file),
        }
        typed = [name for name, (_, is_typed) in kinds.items() if is_typed]
        if len(typed) > 1:
            raise ContradictoryOptions(typed[0], typed[1], "One file is written.")
        isolated = options.isolated_mode
        said = list(_said(isolated=isolated))
        kind = kinds[typed[0]][0] if typed else _usual_kind(said)
        return cls(kind, said, isolated=isolated)

    @property
    def has_comments(self) -> bool:
        """Tell whether the file has comments, which upstream does not keep."""
        try:
            with open(self.path, encoding="utf-8", errors="replace") as file:
                return any(line.lstrip().startswith(("#", ";")) for line in file)
        except OSError:
            return False

    def write(self, value: str) -> None:
        """Write a value, or leave the key out if that is empty.

        :raises UnusableConfiguration: if it cannot be; then the file is as it was.
        """
        before = None
        try:
            with contextlib.suppress(FileNotFoundError), open(self.path, "rb") as file:
                before = file.read()
            if value:
                self._configuration.set_value(KEY, value)
            else:
                self._configuration.unset_value(KEY)
            self._configuration.save()
        except (OSError, ConfigurationError) as error:
            self._restore(before)
            raise UnusableConfiguration(
                self.path,
                f"It could not be written: {in_words(error)}.",
                "Choose another file with --user, --site or --global.",
            ) from error

    def _restore(self, before: bytes | None) -> None:
        """Put back what upstream may have cut off, unless nothing was."""
        with contextlib.suppress(OSError):
            if before is None:
                os.unlink(self.path)
                return
            with open(self.path, "rb") as file:
                is_same = file.read() == before
            if not is_same:
                with open(self.path, "wb") as file:
                    file.write(before)


def _usual_kind(said: Sequence[_Said]) -> Kind:
    """Return which file is written if none was typed."""
    written = [each.kind for each in said if each.kind is not Kind.ENV_VAR]
    if written:
        # Upstream edits the file of the variable in place of the user's.
        return Kind.USER if written[-1] is Kind.ENV else written[-1]
    if os.environ.get("PIP_CONFIG_FILE") or not running_under_virtualenv():
        return Kind.USER
    return Kind.SITE


def _said(*, isolated: bool) -> Iterator[_Said]:
    """Yield what is configured, the strongest last.

    What a file says for one command counts before what it says for all.
    """
    configuration = Configuration(isolated=isolated)
    configuration.load()
    files = [
        (kind, path, values)
        for kind in OVERRIDE_ORDER[:-1]
        for path, values in configuration.get_values_in_config(kind).items()
    ]
    for kind, path, values in files:
        if values.get(KEY, "").strip():
            yield _Said(kind, path, values[KEY])
    for _, path, values in files:
        for key, value in values.items():
            section, _, name = key.partition(".")
            if name == _NAME and key != KEY:
                yield _Said(Kind.ENV_VAR, f"{path}, below [{section}],", value)
    for values in configuration.get_values_in_config(Kind.ENV_VAR).values():
        value = values.get(f":env:.{_NAME}", "")
        if value.strip():
            yield _Said(Kind.ENV_VAR, _VARIABLE, value)


def is_configured(options: optparse.Values) -> bool:
    """Tell whether any index is configured for certain projects."""
    return any(_said(isolated=options.isolated_mode))


def _is_set_up(value: str, publisher: Publisher) -> bool:
    urls = taken(value, publisher)
    return {urls.get(each) for each in publisher.projects} == {publisher.url}


# What is shown


def _show(options: optparse.Values, target: _Target) -> None:
    """List all that are known."""
    write(["Indexes with variants that publishers run:"])
    for each in PUBLISHERS:
        is_there = ", set up" if _is_set_up(target.effective, each) else ""
        lines = [
            "",
            f"{each.name} ({each.publisher}){is_there}",
            f"  {each.url}",
            f"  {', '.join(each.projects)}",
        ]
        if each.note:
            lines.append(f"  {each.note}")
        if options.verbose:
            lines.append(f"  Read in {each.source}.")
        write(lines)
    said = (
        f"Read on {READ}, not run: nobody has tried these indexes with this pip. Nothing "
        f"is asked of them, and nothing written, before you say so. It would be written "
        f"to {target.path}. To take these projects from there and from nowhere else:"
    )
    write(["", Hint(said, command_to_type(options, "variants", "setup", "NAME"))])


def _is_interactive(options: optparse.Values) -> bool:
    return sys.stdin.isatty() and not (options.no_input or options.json or options.yes)


def _asked(question: str) -> str:
    try:
        return ask_input(f"{question} ").strip()
    except EOFError:
        return ""


def _chosen(options: optparse.Values) -> list[Publisher]:
    """Ask which ones to set up, where there is somebody to ask."""
    if not _is_interactive(options):
        return []
    return _named(_asked("Which (names, or nothing for none)?").split())


def _changed(
    options: optparse.Values, target: _Target, publishers: Sequence[Publisher]
) -> str:
    """Return what the file is to say.

    :raises IndexTaken: if a project comes from elsewhere already.
    """
    value = target.value
    if options.remove:
        # What other files say stays there.
        value = value if target.has_own else ""
        for each in publishers:
            value = removed(value, each)
        if not target.has_own or value.split() == target.value.split():
            return target.value
        return value
    for each in publishers:
        for project, url in taken(value, each).items():
            if url != each.url:
                raise _index_taken(options, target, project, url)
        if not _is_set_up(value, each):
            value = added(value, each)
    return value


def _index_taken(
    options: optparse.Values, target: _Target, project: str, url: str
) -> IndexTaken:
    kind, where = target.kind, target.path
    if target.inherited is not None:
        kind, where, _ = target.inherited
    other = next((each for each in PUBLISHERS if each.url == url), None)
    if other is None:
        edit = command_to_type(options, "config", "edit", f"--{kind}")
        hint = Hint("To change that:", edit)
    else:
        remove = ("variants", "setup", "--remove", other.name)
        hint = Hint("To change that, first:", command_to_type(options, *remove))
    return IndexTaken(project, redact_auth_from_url(url), where, hint)


def _propose(
    options: optparse.Values,
    target: _Target,
    publishers: Sequence[Publisher],
    after: str,
) -> None:
    """Show what would be written, and go on if that is wanted.

    :raises WrongUse: if it is not, or there is nobody to ask.
    """
    if not options.remove:
        for each in publishers:
            write(
                [
                    f"{each.name} ({each.publisher}; read on {READ}, not run)",
                    f"  {', '.join(each.projects)}",
                    f"  from {each.url} and from nowhere else; nothing else from there.",
                    *([f"  {each.note}"] if each.note else []),
                ]
            )
    lines = [_shown(each) for each in after.split()]
    write([f"{target.path} would say, below [{KEY.partition('.')[0]}]:"])
    if lines:
        write([f"  {_NAME} =", *(f"    {line}" for line in lines)])
    else:
        write([f"  nothing of {_NAME}"])
    if target.has_comments:
        write(["What stands there as a comment would be lost, as with pip config."])
    if target.inherited is not None and not options.remove:
        where = target.inherited.where
        write([f"That has what {where} says, which would count no more beside it."])
    if options.yes:
        return
    if not _is_interactive(options):
        raise WrongUse(
            f"Nothing was written: there is nobody to ask. To go on: "
            f"{again(options, '--yes')}"
        )
    if _asked("Write it? [y/N]").lower() not in ("y", "yes"):
        raise WrongUse("Nothing was written")


def _shown(text: str) -> str:
    """Return an index with its projects for people, without credentials."""
    names, equals, url = text.partition("=")
    return f"{names}{equals}{redact_auth_from_url(url)}"


def _tell(
    options: optparse.Values,
    target: _Target,
    publishers: Sequence[Publisher],
    *,
    is_new: bool,
) -> None:
    """Say what was done, what counts in place of it, and what to type next."""
    names = ", ".join(each.name for each in publishers)
    setup = ("variants", "setup")
    if options.remove:
        done = f"Removed {names} from {target.path}."
        write([done if is_new else f"{target.path} has nothing of {names}."])
        return
    for each in target.stronger:
        logger.warning(
            "%s names variant indexes too, and what it says counts in place of %s",
            each.where,
            target.path,
        )
    done = f"{names}: written to {target.path}."
    write([done if is_new else f"{names}: set up already in {target.path}."])
    project = publishers[0].projects[0]
    words = ("variants", "explain", project)
    write(
        [
            Hint("To install:", command_to_type(options, "install", project)),
            Hint("To see what would be chosen:", command_to_type(options, *words)),
            Hint(
                "To undo this:",
                command_to_type(
                    options, *setup, "--remove", *(each.name for each in publishers)
                ),
            ),
        ]
    )


def _write_json(target: _Target, value: str, *, is_written: bool) -> None:
    effective = value if is_written and not target.stronger else target.effective
    write_document(
        {
            "version": "1",
            "read": READ,
            "publishers": [
                {**each._asdict(), "is_set_up": _is_set_up(effective, each)}
                for each in PUBLISHERS
            ],
            "file": target.path,
            "is_written": is_written,
            _NAME: [_shown(each) for each in value.split()],
        }
    )
