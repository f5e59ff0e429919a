"""``pip variants setup``: write the indexes of publishers into pip's configuration.

Nothing is asked of an index here, and nothing is written before the user says so.
"""

from __future__ import annotations

import difflib
import optparse
import sys
from collections.abc import Iterator, Sequence

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import SUCCESS
from pip._internal.console.output import get_logger, only_output, write
from pip._internal.console.texts import Hint
from pip._internal.utils.misc import ask_input
from pip._internal.variants.commands.index_file import (
    NAME,
    SECTION,
    IndexFile,
    effective,
)
from pip._internal.variants.commands.options import REMOVE, URL, YES
from pip._internal.variants.commands.publishers import (
    PUBLISHERS,
    READ,
    Publisher,
    added,
    bare,
    removed,
    taken,
)
from pip._internal.variants.commands.reports import write_report
from pip._internal.variants.errors import (
    ContradictoryOptions,
    IndexTaken,
    InvalidOption,
    WrongUse,
)
from pip._internal.variants.output.invocation import again
from pip._internal.variants.output.invocation import command as command_to_type
from pip._internal.variants.selection.scoped_indexes import (
    FORM,
    redacted_value,
    scoped_index,
)

logger = get_logger(__name__)


def run(command: SessionCommandMixin, options: optparse.Values, args: list[str]) -> int:
    """Show the known indexes, or write or remove those that are named."""
    del command  # No session: nothing is asked of any server.
    if options.remove and not args:
        raise WrongUse(f"{REMOVE.name} needs a name: {', '.join(PUBLISHERS)}")
    if options.url and len(args) != 1:
        raise WrongUse(f"{URL.name} needs one name, of the publisher that is mirrored")
    with only_output(options):
        file = IndexFile(options)
        publishers = _named(options, file, args)
        if not publishers:
            _show(options, file)
            if file.path and _is_interactive(options):
                names = _asked("Which (names, or nothing for none)?").replace(",", " ")
                publishers = _named(options, file, names.split())
        after = file.value
        if publishers:
            after = _changed(options, file, publishers)
            if after.split() != file.value.split():
                _propose(options, file, publishers, after)
                file.write(after)
            _tell(options, file, publishers, after)
    if options.json:
        _write_json(options, file, after)
    return SUCCESS


def _named(
    options: optparse.Values, file: IndexFile, names: Sequence[str]
) -> list[Publisher]:
    """Return the publishers with these names, at the mirror that was typed, if any.

    :raises WrongUse: if one is unknown.
    :raises ContradictoryOptions: if two that are to be set up are for the same project.
    """
    found: list[Publisher] = []
    for name in dict.fromkeys(names):
        publisher = PUBLISHERS.get(name.lower())
        if publisher is None:
            near = difflib.get_close_matches(name.lower(), PUBLISHERS, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise WrongUse(
                f"{name!r} is no publisher that is known.{meant} Known are "
                f"{', '.join(PUBLISHERS)}. For any other index, add {FORM} to what {NAME} "
                f"says, below [{SECTION}] in {file.path or 'the configuration'} (pip "
                f"config set would replace all of it): {file.edit()}"
            )
        for other in [] if options.remove else found:
            shared = [each for each in publisher.projects if each in other.projects]
            if shared:
                why = f"{shared[0]} comes from one index alone."
                raise ContradictoryOptions(other.name, publisher.name, why)
        found.append(publisher._replace(url=options.url or publisher.url))
    return found


def _is_set_up(value: str, publisher: Publisher) -> bool:
    urls = taken(value, publisher)
    return {urls.get(each) for each in publisher.projects} == {bare(publisher.url)}


def _described(publisher: Publisher, about: str, source: str) -> Iterator[str]:
    """Yield what the table says of a publisher."""
    yield f"{publisher.name} ({publisher.publisher}{about}"
    yield f"  {', '.join(publisher.projects)}"
    yield f"  {source}"
    if publisher.note:
        yield f"  {publisher.note}"


def _show(options: optparse.Values, file: IndexFile) -> None:
    """List all that are known."""
    write(["Indexes with variants that publishers run:"])
    value = effective(options)
    for each in PUBLISHERS.values():
        about = "), set up" if _is_set_up(value, each) else ")"
        head, projects, url, *note = _described(each, about, each.url)
        write(["", head, url, projects, *note])
        if options.verbose:
            write([f"  Read in {each.source}."])
    said = f"It would be written to {file.path}."
    if not file.path:
        said = "As it is, pip reads no file to which it could be written."
    hint = (
        f"Read on {READ}, not run: nobody has tried these indexes with this pip. Nothing "
        f"is asked of them, and nothing written, before you say so. {said} To take these "
        "projects from there and from nowhere else:"
    )
    write(["", Hint(hint, file.command("NAME"))])


def _is_interactive(options: optparse.Values) -> bool:
    """Tell whether there is somebody to ask, who sees what it is about."""
    is_quiet = int(options.quiet) > int(options.verbose)
    is_asked = not (options.no_input or options.json or options.yes or is_quiet)
    # A service has no standard input.
    return is_asked and sys.stdin is not None and sys.stdin.isatty()


def _asked(question: str) -> str:
    try:
        return ask_input(f"{question} ").strip()
    except EOFError:
        return ""


def _changed(
    options: optparse.Values, file: IndexFile, publishers: Sequence[Publisher]
) -> str:
    """Return what the file is to say.

    :raises IndexTaken: if a project comes from elsewhere already.
    :raises UnusableConfiguration: if the file is of no use.
    """
    file.check(is_added=not options.remove)
    value = file.value
    for each in publishers:
        if options.remove:
            value = removed(value, each)
            continue
        for project, url in taken(value, each).items():
            if url != bare(each.url):
                hint = _how_to_remove(file, each, url)
                raise IndexTaken(project, url, file.path, hint)
        value = added(value, each)
    return value


def _how_to_remove(file: IndexFile, publisher: Publisher, url: str) -> Hint:
    """Return what to type so that projects of a publisher come from *url* no more."""
    known = [each.name for each in PUBLISHERS.values() if each.url == url]
    words = known[:1] or [publisher.name, URL.name, url]
    return Hint("To change that, first:", file.command(REMOVE.name, *words))


def _propose(
    options: optparse.Values,
    file: IndexFile,
    publishers: Sequence[Publisher],
    after: str,
) -> None:
    """Show what would be written, and go on if that is wanted.

    :raises WrongUse: if it is not, or there is nobody to ask.
    """
    for each in [] if options.remove else publishers:
        source = (
            f"from {_shown(each.url)} and from nowhere else; nothing else from there."
        )
        write(_described(each, f"; read on {READ}, not run)", source))
    lines = [f"    {_shown(each)}" for each in after.split()]
    write([f"{file.path} would say, below [{SECTION}]:"])
    write([f"  {NAME} =", *lines] if lines else [f"  nothing of {NAME}"])
    if file.has_comments:
        write(["What stands there as a comment would be lost, as with pip config."])
    if options.yes:
        return
    if not _is_interactive(options):
        yes = again(options, YES.name)
        raise WrongUse(f"Nothing was written: nobody was asked. To go on: {yes}")
    if _asked("Write it? [y/N]").lower() not in ("y", "yes"):
        raise WrongUse("Nothing was written")


def _shown(text: str) -> str:
    """Return an index with its projects for people, without credentials."""
    try:
        return str(scoped_index(NAME, text))
    except InvalidOption:
        return redacted_value(text)


def _tell(
    options: optparse.Values,
    file: IndexFile,
    publishers: Sequence[Publisher],
    after: str,
) -> None:
    """Say what was done, what counts in place of it, and what to type next."""
    is_new = after.split() != file.value.split()
    said = ", ".join(each.name for each in publishers)
    if options.remove:
        done = f"Removed {said}."
        write([done if is_new else f"{file.path} has nothing of {said}."])
        for each in publishers:
            for project, url in [*taken(after, each).items()][:1]:
                hint = _how_to_remove(file, each, url)
                write([f"{project} comes from {url} there.", hint])
        return
    for each in publishers:
        place = file.overridden_by(each)
        if place is not None:
            what = "%s names another index for projects of %s, and takes precedence"
            logger.warning(what, place, each.name)
    done = f"{said}: set up."
    project = publishers[0].projects[0]
    why = command_to_type(options, "variants", "explain", project)
    words = [each.name for each in publishers]
    if options.url:
        words += [URL.name, bare(options.url)]
    write(
        [
            done if is_new else f"{said}: set up already in {file.path}.",
            Hint("To install:", command_to_type(options, "install", project)),
            Hint("To see what would be chosen:", why),
            Hint("To undo this:", file.command(REMOVE.name, *words)),
        ]
    )


def _write_json(options: optparse.Values, file: IndexFile, after: str) -> None:
    value = effective(options)
    write_report(
        {
            "read": READ,
            "publishers": [
                {**each._asdict(), "is_set_up": _is_set_up(value, each)}
                for each in PUBLISHERS.values()
            ],
            "file": file.path or None,
            "is_written": after.split() != file.value.split(),
            NAME: [_shown(each) for each in after.split()],
        }
    )
