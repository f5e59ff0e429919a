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
from pip._internal.variants.choice.scoped_indexes import (
    by_project,
    scoped_index,
    without_credentials,
)
from pip._internal.variants.errors import (
    ContradictoryOptions,
    IndexTaken,
    InvalidOption,
    UnusableConfiguration,
    WrongUse,
    in_words,
)

logger = get_logger(__name__)

_SECTION, _, _NAME = KEY.partition(".")
_VARIABLE = f"PIP_{_NAME.upper().replace('-', '_')}"
_BY_NAME = {each.name: each for each in PUBLISHERS}


def run(command: SessionCommandMixin, options: optparse.Values, args: list[str]) -> int:
    """Show the known indexes, or write or remove those that are named."""
    del command  # No session: nothing is asked of any server.
    if options.remove and not args:
        raise WrongUse(f"--remove needs a name: {', '.join(_BY_NAME)}")
    with only_output(options):
        target = _Target.of(options)
        publishers = _named(options, target, args)
        if not publishers:
            _show(options, target)
            publishers = _chosen(options, target)
        before = after = target.value
        if publishers:
            if target.problem is not None:
                raise target.problem
            after = _changed(options, target, publishers)
            if after != before:
                _propose(options, target, publishers, after)
                target.write(after)
            _tell(options, target, publishers, is_new=after != before)
    if options.json:
        _write_json(target, after, is_written=after != before)
    return SUCCESS


def _named(
    options: optparse.Values, target: _Target, names: Sequence[str]
) -> list[Publisher]:
    """Return the publishers with these names.

    :raises WrongUse: if one is unknown.
    :raises ContradictoryOptions: if two that are to be set up are for the same project.
    """
    found: list[Publisher] = []
    for name in dict.fromkeys(names):
        publisher = _BY_NAME.get(name.lower())
        if publisher is None:
            near = difflib.get_close_matches(name.lower(), _BY_NAME, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise WrongUse(
                f"{name!r} is no publisher that is known.{meant} Known are "
                f"{', '.join(_BY_NAME)}. {_for_any_other(options, target)}"
            )
        for other in [] if options.remove else found:
            shared = [each for each in publisher.projects if each in other.projects]
            if shared:
                why = f"{shared[0]} comes from one index alone."
                raise ContradictoryOptions(other.name, publisher.name, why)
        found.append(publisher)
    return found


def _for_any_other(options: optparse.Values, target: _Target) -> str:
    """Say how to have an index that is not known; what is there already stays."""
    where = target.path or "pip's configuration file"
    edit = command_to_type(options, "config", "edit", _option_of(target.kind))
    return (
        f"For any other index, add PROJECT[,PROJECT...]=URL to what {_NAME} says, below "
        f"[{_SECTION}] in {where} (pip config set would replace all of it): {edit}"
    )


class _Said(NamedTuple):
    """What one place of the configuration says of variant indexes.

    :ivar kind: of the file; or the environment.
    :ivar path: of the file; or the name of the variable.
    :ivar value: may be empty, which hides what a weaker file says.
    :ivar key: for all commands, or for one.
    """

    kind: Kind
    path: str
    value: str
    key: str = KEY

    @property
    def rank(self) -> int:
        """Return how strong it is: what is for one command counts before the rest."""
        return _rank(self.kind if self.key == KEY else Kind.ENV_VAR)

    @property
    def where(self) -> str:
        """Return the place for a sentence that goes on."""
        if self.key == KEY:
            return self.path
        return f"{self.path}, below [{self.key.partition('.')[0]}],"


def _rank(kind: Kind) -> int:
    return OVERRIDE_ORDER.index(kind)


def _option_of(kind: Kind) -> str:
    """Return the option that names a file of this kind."""
    # Upstream edits the file of the variable in place of the user's.
    return f"--{Kind.USER if kind is Kind.ENV else kind}"


class _Target:
    """The configuration file that is to be written, and what others say.

    :ivar kind: that the user calls the file.
    :ivar is_typed: whether an option named the file.
    :ivar path: of the file; empty if there is none that could be written.
    :ivar problem: why there is none.
    :ivar value: what it says; where it says nothing, what pip goes by otherwise, which
        would count no more beside a value here.
    :ivar own: what it says, None for nothing.
    :ivar inherited: what the value is from, if it is another file.
    :ivar effective: what pip goes by now.
    :ivar stronger: what counts in place of the file.
    """

    def __init__(
        self, kind: Kind, said: Sequence[_Said], *, isolated: bool, is_typed: bool
    ) -> None:
        self.kind, self.is_typed = kind, is_typed
        self._configuration = Configuration(isolated=isolated, load_only=kind)
        self._configuration.load()
        self.path = self._configuration.get_file_to_edit() or ""
        self.problem = None if self.path else _no_file()
        self.own = next(
            (each for each in said if (each.path, each.key) == (self.path, KEY)), None
        )
        is_of_variable = self.path == os.environ.get("PIP_CONFIG_FILE")
        rank = _rank(Kind.ENV if kind is Kind.USER and is_of_variable else kind)
        self.stronger = [each for each in said if each.rank > rank]
        # Of several files of one kind, the last is written.
        weaker = [each for each in said if each.rank <= rank]
        self.inherited = _inherited(weaker) if self.own is None else None
        source = self.own or self.inherited
        self.value = "" if source is None else source.value
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
        return cls(kind, said, isolated=isolated, is_typed=bool(typed))

    def command(self, options: optparse.Values, *words: str) -> str:
        """Return a ``pip variants setup`` to type, for the same file as this one."""
        file = [_option_of(self.kind)] if self.is_typed else []
        return command_to_type(options, "variants", "setup", *words, *file)

    def check(self, options: optparse.Values) -> None:
        """Check what pip would read beside what is to be written.

        :raises UnusableConfiguration: if pip could not.
        """
        # For each key, the strongest counts.
        read = {each.key: each for each in self.stronger}.values()
        for each in filter(None, (self.own or self.inherited, *read)):
            problem = _broken(each.value)
            if problem:
                what = "Its value"
                if each.kind is not Kind.ENV_VAR:
                    what = f"Its {_NAME}, below [{each.key.partition('.')[0]}],"
                raise UnusableConfiguration(
                    each.path,
                    f"{what} is broken, so that pip could install nothing: {problem}",
                    _ways_out(options, each),
                )

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
        before = self._content()
        try:
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

    def _content(self) -> bytes | None:
        """Return what the file has, None if it is not there.

        :raises UnusableConfiguration: if it cannot be read; upstream would not say so.
        """
        try:
            with open(self.path, "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise UnusableConfiguration(
                self.path,
                f"It could not be read: {in_words(error)}.",
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


def _inherited(weaker: Sequence[_Said]) -> _Said | None:
    """Return what counts where a file says nothing; None for no index."""
    return weaker[-1] if weaker and weaker[-1].value else None


def _no_file() -> UnusableConfiguration:
    """Return why upstream has no file to write."""
    if os.environ.get("PIP_CONFIG_FILE") == os.devnull:
        return UnusableConfiguration(
            "PIP_CONFIG_FILE",
            f"PIP_CONFIG_FILE is {os.devnull}, so that pip reads no configuration file.",
            "Unset it, or let it name a file.",
        )
    return UnusableConfiguration(
        "The user's configuration file",
        "With --isolated, pip does not read the user's file.",
        "Leave --isolated out, or choose another file with --site or --global.",
    )


def _broken(value: str) -> str:
    """Return what is wrong with a value, without credentials; empty for nothing."""
    try:
        by_project([scoped_index(_NAME, text) for text in value.split()])
    except InvalidOption as error:
        return str(error)
    except ContradictoryOptions as error:
        return f"{error.message} {error.context}"
    return ""


def _ways_out(options: optparse.Values, said: _Said) -> Sequence[str]:
    """Return how to be rid of what a place says."""
    if said.kind is Kind.ENV_VAR:
        return ["Mend the variable, or unset it."]
    file = _option_of(said.kind)
    unset = command_to_type(options, "config", "unset", said.key, file)
    return [
        Hint("To mend it:", command_to_type(options, "config", "edit", file)),
        Hint(f"To take out all that {_NAME} says there:", unset),
    ]


def _usual_kind(said: Sequence[_Said]) -> Kind:
    """Return which file is written if none was typed.

    It is the one that has such indexes, or hides those of others. A file that
    PIP_CONFIG_FILE names and that is not there is none, as for upstream.
    """
    usual = Kind.USER
    if running_under_virtualenv() and not os.path.exists(
        os.environ.get("PIP_CONFIG_FILE", "")
    ):
        usual = Kind.SITE
    files = [each for each in said if each.rank < _rank(Kind.ENV_VAR)]
    if files and (files[-1].value or files[-1].rank > _rank(usual)):
        # Upstream edits the file of the variable in place of the user's.
        return Kind.USER if files[-1].kind is Kind.ENV else files[-1].kind
    return usual


def _said(*, isolated: bool) -> Iterator[_Said]:
    """Yield what is configured as upstream's parser reads it, the strongest last.

    What a file says for one command counts before what it says for all. An empty value
    hides those of weaker files, and then says nothing; an empty variable is none.
    """
    configuration = Configuration(isolated=isolated)
    configuration.load()
    by_command: dict[str, _Said] = {}
    for kind in OVERRIDE_ORDER[:-1]:
        for path, values in configuration.get_values_in_config(kind).items():
            for key, value in values.items():
                if key == KEY:
                    yield _Said(kind, path, value)
                elif key.partition(".")[2] == _NAME:
                    by_command[key] = _Said(kind, path, value, key)
    yield from (each for each in by_command.values() if each.value)
    for values in configuration.get_values_in_config(Kind.ENV_VAR).values():
        key = f":env:.{_NAME}"
        if values.get(key):
            # Of blanks alone, it turns off what the files say.
            yield _Said(Kind.ENV_VAR, _VARIABLE, values[key].strip())


def is_configured(options: optparse.Values) -> bool:
    """Tell whether any index is configured for certain projects."""
    said = list(_said(isolated=options.isolated_mode))
    return bool(said and said[-1].value)


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
    read = (
        f"Read on {READ}, not run: nobody has tried these indexes with this pip. Nothing "
        "is asked of them, and nothing written, before you say so."
    )
    if target.problem is not None:
        why = f"{target.problem.context} {target.problem.hint_stmt}"
        write(["", f"{read} As it is, nothing could be written. {why}"])
        return
    said = (
        f"{read} It would be written to {target.path}. To take these projects from there "
        "and from nowhere else:"
    )
    write(["", Hint(said, target.command(options, "NAME"))])


def _is_quiet(options: optparse.Values) -> bool:
    """Tell whether nothing is shown that a user could agree to."""
    return int(options.quiet) > int(options.verbose)


def _is_interactive(options: optparse.Values) -> bool:
    is_asked = not (options.no_input or options.json or options.yes)
    # A service has no standard input.
    has_input = sys.stdin is not None and sys.stdin.isatty()
    return is_asked and not _is_quiet(options) and has_input


def _asked(question: str) -> str:
    try:
        return ask_input(f"{question} ").strip()
    except EOFError:
        return ""


def _chosen(options: optparse.Values, target: _Target) -> list[Publisher]:
    """Ask which ones to set up, where there is somebody to ask."""
    if target.problem is not None or not _is_interactive(options):
        return []
    names = _asked("Which (names, or nothing for none)?").replace(",", " ")
    return _named(options, target, names.split())


def _changed(
    options: optparse.Values, target: _Target, publishers: Sequence[Publisher]
) -> str:
    """Return what the file is to say.

    :raises IndexTaken: if a project comes from elsewhere already.
    :raises UnusableConfiguration: if pip could not read what it would say.
    """
    value = target.value
    if options.remove:
        if target.own is None:
            # What other files say stays there.
            return value
        for each in publishers:
            value = removed(value, each)
        return target.value if value.split() == target.value.split() else value
    target.check(options)
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
    source = target.inherited or _Said(target.kind, target.path, target.value)
    file = _option_of(source.kind)
    other = next((each for each in PUBLISHERS if each.url == url), None)
    hint = f"To change that, edit {source.path}."
    if source.path != target.path and source.kind is target.kind:
        pass  # A second file of one kind, which no option names.
    elif other is None:
        hint = Hint("To change that:", command_to_type(options, "config", "edit", file))
    elif target.inherited is None:
        command = target.command(options, "--remove", other.name)
        hint = Hint("To change that, first:", command)
    else:
        words = ("variants", "setup", "--remove", other.name, file)
        hint = Hint("To change that, first:", command_to_type(options, *words))
    return IndexTaken(project, redact_auth_from_url(url), source.path, hint)


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
    write([f"{target.path} would say, below [{_SECTION}]:"])
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
        why = "there is nobody to ask"
        if _is_quiet(options):
            why = "with --quiet, nothing is shown that you could agree to"
        raise WrongUse(
            f"Nothing was written: {why}. To go on: {again(options, '--yes')}"
        )
    if _asked("Write it? [y/N]").lower() not in ("y", "yes"):
        raise WrongUse("Nothing was written")


def _shown(text: str) -> str:
    """Return an index with its projects for people, without credentials."""
    try:
        return str(scoped_index(_NAME, text))
    except InvalidOption:
        return without_credentials(text)


def _tell(
    options: optparse.Values,
    target: _Target,
    publishers: Sequence[Publisher],
    *,
    is_new: bool,
) -> None:
    """Say what was done, what counts in place of it, and what to type next."""
    names = ", ".join(each.name for each in publishers)
    if options.remove:
        done = f"Removed {names} from {target.path}."
        write([done if is_new else f"{target.path} has nothing of {names}."])
        return
    for each in target.stronger:
        said = "%s names variant indexes too, and what it says counts in place of %s"
        if not each.value:
            said = "%s has an empty variant-index, which turns off what is said in %s"
        logger.warning(said, each.where, target.path)
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
                target.command(
                    options, "--remove", *(each.name for each in publishers)
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
            "file": target.path or None,
            "is_written": is_written,
            _NAME: [_shown(each) for each in value.split()],
        }
    )
