"""``wheel-variants adopt``: convert wheels with local versions, and twins, to variants."""

from __future__ import annotations

import argparse
import logging
import os
import shlex
from collections.abc import Iterator
from typing import Any

from packaging.utils import NormalizedName, canonicalize_name

from wheel_variants.publish.adopting import Plan, add_alike, add_manifests, read_folder
from wheel_variants.publish.adopting import write as write_wheels
from wheel_variants.publish.commands.build import add_pyproject
from wheel_variants.publish.errors import UsageError, counted
from wheel_variants.publish.http import HttpSession, add_http_options
from wheel_variants.publish.listing import read_listing, write_index
from wheel_variants.publish.output import write, write_report
from wheel_variants.publish.pyproject_table import read_project_table
from wheel_variants.publish.simple_index import SIMPLE

__all__ = ["HELP", "add_arguments", "run"]

HELP = "Convert wheels with local versions, and X-gpu builds (twins), to variants."

logger = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    add = parser.add_argument
    add(
        "folder",
        metavar="DIR",
        nargs="?",
        help="The folder of wheels. The wheels are not changed.",
    )
    add(
        "--release-listing",
        metavar="FILE|URL",
        help="Read a list of links instead of DIR, and write an index that links to the "
        "wheels. FILE|URL is an HTML page, a GitHub release in JSON, or a text file with "
        "one URL per line.",
    )
    add(
        "--cpu-as-null",
        action="store_true",
        help="Convert wheels with the local version +cpu to the null variant, which "
        "installers use on machines where no other variant runs (default: label them "
        "'cpu').",
    )
    add(
        "--twin",
        dest="twins",
        action="append",
        default=[],
        type=_twin,
        metavar="NAME=PROJECT",
        help="Convert the wheels of NAME to variants of PROJECT, as in "
        "onnxruntime-gpu=onnxruntime. Can be used multiple times.",
    )
    add_pyproject(parser)
    add(
        "-d",
        "--output-dir",
        metavar="DIR",
        help="Write the variants to this folder (default: only show the plan).",
    )
    add("--json", action="store_true", help="Print a report in JSON.")
    add_http_options(parser)


def run(options: argparse.Namespace) -> int:
    """Print the plan for a folder or a list of links; execute it with ``--output-dir``."""
    _check(options)
    folder: str | None = options.output_dir
    source, listing = options.folder, options.release_listing
    table = read_project_table(options.pyproject)
    plan = Plan(
        listing if source is None else source,
        options.cpu_as_null,
        _twins(options),
        table,
    )
    if listing is None:
        read_folder(plan)
    else:
        read_listing(plan, HttpSession(options), listing)
    add_alike(plan)
    add_manifests(plan, folder)
    if not options.json:
        write(_plan_lines(plan))
    if folder is not None and plan.adopted:
        (write_wheels if listing is None else write_index)(plan, folder)
    if options.json:
        write_report(_document(plan))
    else:
        write(_result_lines(plan, folder or "", listing))
    for warning in dict.fromkeys(plan.warnings):
        logger.warning("%s", warning)
    for each in plan.damaged:
        logger.warning("Skipped %s: %s", each.filename, each.why)
    return int(not plan.adopted or bool(plan.damaged))


def _check(options: argparse.Namespace) -> None:
    source, folder = options.folder, options.output_dir
    if (source is None) == (options.release_listing is None):
        raise UsageError("Specify either DIR or --release-listing")
    if source is None and options.twins:
        raise UsageError(
            "--twin cannot be used with --release-listing: wheels on a server cannot be renamed"
        )
    if source and folder and os.path.realpath(folder) == os.path.realpath(source):
        raise UsageError(
            f"--output-dir '{folder}' is the folder of the wheels; specify another folder"
        )


def _result_lines(plan: Plan, folder: str, listing: str | None) -> Iterator[str]:
    """Yield a summary of the result, and the next command."""
    if not plan.adopted:
        return
    yield ""
    if not folder:
        yield "Nothing was written. To write the variants, add --output-dir DIR."
    elif listing is not None:
        index = os.path.join(folder, SIMPLE)
        project = plan.adopted[0].variant.name
        there = shlex.quote(f"{project}={index}")
        next_command = f"pip install --variant-index {there} {project}"
        wrote = f"Wrote an index of {counted(len(plan.adopted), 'wheel')}"
        yield f"{wrote}. Next: {next_command}"
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
                f"--twin maps '{name}' to two projects: '{twins[name]}' and '{into}'"
            )
    for name, into in twins.items():
        if into in twins:
            raise UsageError(
                f"'{into}' cannot be both a twin and a project: --twin {name}={into}"
            )
    return twins


def _plan_lines(plan: Plan) -> Iterator[str]:
    for adopted in plan.adopted:
        yield adopted.original.filename
        yield f"  becomes {adopted.variant}"
        needs = ", ".join(sorted(map(str, adopted.proof.properties))) or "nothing"
        yield f"  needs {needs} ({adopted.proof.rule})"
        for each in adopted.dropped:
            yield f"  omits {each}, because it is not valid for the variant"
    for name in plan.kept:
        yield name
        yield "  is copied unchanged"
    for left in plan.left:
        yield left.filename
        yield f"  is skipped: {left.why}"
    for name, text in plan.requiring:
        yield f"{name} requires '{text}', but '{text}' will no longer exist: update {name}"
    for message in plan.alike:
        yield f"{message}."
    if plan.snippet:
        yield (
            "These wheels do not state the GPUs they support. To state them, put these "
            "lines into a pyproject.toml, remove the GPUs that a wheel does not support, "
            "and add --pyproject:"
        )
        yield from ("", "[variant.properties]", *plan.snippet)


def _document(plan: Plan) -> dict[str, Any]:
    left = [*plan.left, *plan.damaged]
    adopted = [
        {
            "file": each.original.filename,
            "becomes": each.variant.filename,
            "label": each.variant.label,
            "properties": sorted(map(str, each.proof.properties)),
            "rule": each.proof.rule,
            "dropped": [*each.dropped],
        }
        for each in plan.adopted
    ]
    return {
        "adopted": adopted,
        "kept": plan.kept,
        "left": [{"file": name, "why": why} for name, why in left],
        "requiring": [{"file": name, "requires": it} for name, it in plan.requiring],
        "alike": plan.alike,
        "snippet": plan.snippet,
        "written": [{"path": path, "sha256": digest} for path, digest in plan.written],
    }
