"""``pip variants adopt``: variants of wheels with local versions, and of twins."""

from __future__ import annotations

import optparse
import os
from typing import Any

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import ERROR, SUCCESS
from pip._internal.console.output import write as say
from pip._internal.console.output import write_document
from pip._internal.console.texts import Hint
from pip._internal.variants.choice.invocation import again
from pip._internal.variants.choice.invocation import command as command_to_type
from pip._internal.variants.commands.progress import byte_progress
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.publishing.adopting import Adopted, Plan, Request, plan_of
from pip._internal.variants.publishing.adopting import write as write_wheels
from pip._internal.variants.publishing.pyproject_table import project_table


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
            dict(options.twins or ()),
            project_table(options.pyproject),
        )
    )
    written: list[tuple[str, str]] = []
    if not options.json:
        say(_told(plan))
    if folder is not None and plan.adopted:
        written = write_wheels(plan, folder, byte_progress(options.progress_bar))
    if options.json:
        write_document(_document(plan, written))
    elif written:
        index = command_to_type(options, "variants", "index", folder or "", "--simple")
        say(["", f"Wrote {len(written)} wheels to {folder}.", Hint("Next:", index)])
    elif plan.adopted:
        say(
            ["", Hint("Nothing was written. To write it:", again(options, "-d", "OUT"))]
        )
    return SUCCESS if plan.adopted else ERROR


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
    for name, twin in plan.requiring:
        into = plan.request.twins[canonicalize_name(twin)]
        lines.append(f"{name} requires {twin}, which becomes {into}: change it there")
    lines += [f"{each}." for each in plan.alike]
    return "\n".join(lines).split("\n")


def _document(plan: Plan, written: list[tuple[str, str]]) -> dict[str, Any]:
    return {
        "adopted": [_adopted(each) for each in plan.adopted],
        "kept": [*plan.kept],
        "left": [{"file": each.filename, "why": each.why} for each in plan.left],
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
