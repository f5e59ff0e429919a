"""``wheel-variants adopt``: variants of wheels with local versions, and of twins."""

from __future__ import annotations

import argparse
import logging
import os
import shlex
from collections.abc import Iterator
from typing import Any

from packaging.utils import NormalizedName, canonicalize_name

from wheel_variants.publish.adopting import Converted, Plan, read_folder
from wheel_variants.publish.adopting import write as write_wheels
from wheel_variants.publish.commands.build import add_pyproject
from wheel_variants.publish.errors import UsageError, counted
from wheel_variants.publish.http import HttpSession, add_http_options
from wheel_variants.publish.indexing import SIMPLE
from wheel_variants.publish.listing import read_listing, write_index
from wheel_variants.publish.output import write, write_report
from wheel_variants.publish.pyproject_table import project_table
from wheel_variants.publish.simple_index import IndexedFile

__all__ = ["HELP", "add_arguments", "run"]

HELP = "Make variants of wheels with local versions, and of twins."

logger = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    add = parser.add_argument
    add(
        "folder",
        metavar="DIR",
        nargs="?",
        help="The folder of wheels, which are not changed.",
    )
    add(
        "--release-listing",
        metavar="FILE|URL",
        help="Read the links of a release instead of DIR, and write an index that links "
        "to its wheels: an HTML page, a GitHub release in JSON, or one URL a line.",
    )
    add(
        "--cpu-as-null",
        action="store_true",
        help="Make wheels with the local version +cpu the null variant, which installers "
        "choose on machines that no other variant suits.",
    )
    add(
        "--twin",
        dest="twins",
        action="append",
        default=[],
        type=_twin,
        metavar="NAME=PROJECT",
        help="Make the wheels of NAME variants of PROJECT, as in "
        "onnxruntime-gpu=onnxruntime; may be repeated.",
    )
    add_pyproject(parser)
    add(
        "-d",
        "--output-dir",
        metavar="DIR",
        help="Write the variants to another folder (default: only show the plan).",
    )
    add("--json", action="store_true", help="Write a report in JSON.")
    add_http_options(parser)


def run(options: argparse.Namespace) -> int:
    """Write the plan for a folder or a listing, and with ``--output-dir`` the result."""
    _check(options)
    folder: str | None = options.output_dir
    source, listing = options.folder, options.release_listing
    table = project_table(options.pyproject)
    plan = Plan(source or listing, options.cpu_as_null, _twins(options), table)
    indexed: list[IndexedFile] = []
    if listing is None:
        read_folder(plan)
    else:
        indexed = read_listing(plan, HttpSession(options), listing)
    if not options.json:
        write(_plan_lines(plan))
    if folder is not None and indexed:
        write_index(plan, indexed, folder)
    elif folder is not None and plan.adopted:
        write_wheels(plan, folder)
    if options.json:
        write_report(_document(plan))
    else:
        write(_result_lines(plan, len(indexed), folder or ""))
    for each in plan.damaged:
        logger.warning("%s was not written: %s", each.filename, each.why)
    return int(not plan.adopted or bool(plan.damaged))


def _check(options: argparse.Namespace) -> None:
    source, folder = options.folder, options.output_dir
    if (source is None) == (options.release_listing is None):
        raise UsageError("Name either DIR or --release-listing")
    if source is None and options.twins:
        raise UsageError(
            "--twin renames wheels, and --release-listing only links to them"
        )
    if source and folder and os.path.realpath(folder) == os.path.realpath(source):
        raise UsageError(
            f"The output folder must not be that of the wheels: --output-dir {folder}"
        )


def _result_lines(plan: Plan, indexed: int, folder: str) -> Iterator[str]:
    """Yield what was written, and the next command.

    :param indexed: how many wheels an index links to; 0 for a folder.
    """
    if not plan.adopted:
        return
    yield ""
    if not plan.written:
        yield "Nothing was written. To write it, add --output-dir DIR."
    elif indexed:
        index = os.path.join(folder, SIMPLE)
        project = plan.adopted[0].project
        next_command = f"pip install --variant-index {project}={index} {project}"
        yield f"Wrote an index of {counted(indexed, 'wheel')}. Next: {next_command}"
    else:
        next_command = f"wheel-variants index {shlex.quote(folder)} --simple"
        wrote = f"Wrote {counted(len(plan.written), 'wheel')} to {folder}"
        yield f"{wrote}. Next: {next_command}"


def _twin(value: str) -> tuple[NormalizedName, NormalizedName]:
    names = value.split("=")
    try:
        old, new = (canonicalize_name(name, validate=True) for name in names)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected NAME=PROJECT, as in onnxruntime-gpu=onnxruntime, not {value!r}"
        ) from None
    return old, new


def _twins(options: argparse.Namespace) -> dict[NormalizedName, NormalizedName]:
    twins: dict[NormalizedName, NormalizedName] = {}
    for name, into in options.twins:
        if twins.setdefault(name, into) != into:
            raise UsageError(
                f"{name} cannot be a twin of two projects: {twins[name]} and {into}"
            )
    return twins


def _plan_lines(plan: Plan) -> Iterator[str]:
    for adopted in plan.adopted:
        yield adopted.original.filename
        yield f"  becomes {adopted.filename}"
        needs = ", ".join(sorted(map(str, adopted.proof.properties))) or "nothing"
        yield f"  needs {needs} ({adopted.proof.rule})"
        for each in adopted.dropped:
            yield f"  without {each}, which is not valid for it"
    for name in plan.kept:
        yield name
        yield "  is copied as it is"
    for left in plan.left:
        yield left.filename
        yield f"  is left alone: {left.why}"
    for name, text in plan.requiring:
        yield f"{name} requires {text}, which no longer exists: change it there"
    for message in plan.alike:
        yield f"{message}."
    if plan.snippet:
        yield (
            "No wheel says which GPUs it has code for. To state them, put this into a "
            "pyproject.toml, without those that a wheel lacks, and add --pyproject:"
        )
        yield from ("", "[variant.properties]", *plan.snippet)


def _document(plan: Plan) -> dict[str, Any]:
    left = [*plan.left, *plan.damaged]
    return {
        "adopted": [_adopted(each) for each in plan.adopted],
        "kept": plan.kept,
        "left": [{"file": name, "why": why} for name, why in left],
        "requiring": [{"file": name, "requires": it} for name, it in plan.requiring],
        "alike": plan.alike,
        "snippet": plan.snippet,
        "written": [{"path": path, "sha256": digest} for path, digest in plan.written],
    }


def _adopted(adopted: Converted) -> dict[str, Any]:
    return {
        "file": adopted.original.filename,
        "becomes": adopted.filename,
        "label": adopted.label,
        "properties": sorted(map(str, adopted.proof.properties)),
        "rule": adopted.proof.rule,
        "dropped": [*adopted.dropped],
    }
