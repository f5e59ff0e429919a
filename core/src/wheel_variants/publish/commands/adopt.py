"""``pip variants adopt``: variants of wheels with local versions, and of twins."""

from __future__ import annotations

import optparse
import os
from typing import Any

from pip._vendor.packaging.utils import NormalizedName

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import ERROR, SUCCESS
from pip._internal.console.output import get_logger
from pip._internal.console.output import write as say
from pip._internal.console.texts import Hint
from pip._internal.variants.choice.invocation import again
from pip._internal.variants.choice.invocation import command as command_to_type
from pip._internal.variants.commands.progress import byte_progress
from pip._internal.variants.commands.reports import write_report
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.publishing.adopting import (
    Adopted,
    Left,
    Plan,
    Request,
    plan_of,
)
from pip._internal.variants.publishing.adopting import write as write_wheels
from pip._internal.variants.publishing.pyproject_table import project_table

logger = get_logger(__name__)


def run(command: SessionCommandMixin, options: optparse.Values, args: list[str]) -> int:
    """Tell what becomes of the wheels of a folder; with ``--output-dir``, write it."""
    if len(args) != 1:
        raise WrongUse(f"Need one DIR of wheels, got {len(args)}")
    folder: str | None = options.output_dir
    if folder is not None and os.path.realpath(folder) == os.path.realpath(args[0]):
        raise WrongUse(
            "Need another folder for --output-dir: the wheels stay as they are"
        )
    plan = plan_of(
        Request(
            args[0],
            options.cpu_as_null,
            _twins(options),
            project_table(options.pyproject),
        )
    )
    written: list[tuple[str, str]] = []
    damaged: list[Left] = []
    if not options.json:
        say(_told(plan))
    if folder is not None and plan.adopted:
        written, damaged = write_wheels(
            plan, folder, byte_progress(options.progress_bar)
        )
    if options.json:
        write_report(_document(plan, written, damaged))
    elif written:
        index = command_to_type(options, "variants", "index", folder or "", "--simple")
        wheels = "1 wheel" if len(written) == 1 else f"{len(written)} wheels"
        say(["", f"Wrote {wheels} to {folder}.", Hint("Next:", index)])
    elif plan.adopted:
        say(
            ["", Hint("Nothing was written. To write it:", again(options, "-d", "OUT"))]
        )
    for each in damaged:
        logger.warning("%s was not written: %s.", each.filename, each.why)
    return SUCCESS if plan.adopted and not damaged else ERROR


def _twins(options: optparse.Values) -> dict[NormalizedName, NormalizedName]:
    twins: dict[NormalizedName, NormalizedName] = {}
    for name, into in options.twins or ():
        if twins.setdefault(name, into) != into:
            raise WrongUse(f"--twin {name} is there for {twins[name]} and for {into}")
    return twins


def _told(plan: Plan) -> list[str]:
    lines = []
    for adopted in plan.adopted:
        lines += [os.path.basename(adopted.source), f"  becomes {adopted.filename}"]
        needs = ", ".join(sorted(map(str, adopted.properties))) or "nothing"
        lines.append(f"  needs {needs} ({adopted.rule})")
        lines += [
            f"  without {each}, which does not hold for it" for each in adopted.dropped
        ]
    lines += [f"{name}\n  is taken along as it is" for name in plan.kept]
    lines += [f"{each.filename}\n  is left alone: {each.why}" for each in plan.left]
    lines += [
        f"{name} requires {text}, which there is no more: change it there"
        for name, text in plan.requiring
    ]
    lines += [f"{each}." for each in plan.alike]
    return "\n".join(lines).split("\n")


def _document(
    plan: Plan, written: list[tuple[str, str]], damaged: list[Left]
) -> dict[str, Any]:
    return {
        "adopted": [_adopted(each) for each in plan.adopted],
        "kept": [*plan.kept],
        "left": [
            {"file": each.filename, "why": each.why} for each in (*plan.left, *damaged)
        ],
        "requiring": [
            {"file": name, "requires": twin} for name, twin in plan.requiring
        ],
        "alike": [*plan.alike],
        "written": [{"path": path, "sha256": digest} for path, digest in written],
    }


def _adopted(adopted: Adopted) -> dict[str, Any]:
    return {
        "file": os.path.basename(adopted.source),
        "becomes": adopted.filename,
        "label": adopted.label,
        "properties": sorted(map(str, adopted.properties)),
        "rule": adopted.rule,
        "dropped": [*adopted.dropped],
    }
