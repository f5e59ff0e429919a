"""The project that ``python -m fork`` and the build assemble."""

from __future__ import annotations

from pathlib import Path

from fork.engine.assembler import ForkProject
from fork.engine.census import Sensitive
from fork.pins import HOW_TO_GET, LIBRARIES, PIP
from fork.seams import SEAMS

__all__ = ["PROJECT", "ROOT", "SENSITIVE"]

ROOT = Path(__file__).resolve().parent.parent

#: The calls through which wheels, links and distributions become candidates.
SENSITIVE = Sensitive(
    folders=("pip/_internal/", "pip/_vendor/packaging/"),
    names=frozenset(
        {
            "LinkCandidate",
            "LinkCollector",
            "LinkEvaluator",
            "Wheel",
            "_get_candidates",
            "_iter_found_candidates",
            "_make_candidate_from_link",
            "_prepare_linked_requirement",
            "_scan_directory",
            "add_locked_link",
            "compute_best_candidate",
            "default_environment",
            "evaluate",
            "evaluate_link",
            "evaluate_links",
            "find_all_candidates",
            "find_best_candidate",
            "find_requirement",
            "from_element",
            "from_json",
            "get_applicable_candidates",
            "get_metadata_distribution",
            "get_wheel_distribution",
            "install_wheel",
            "iter_dependencies",
            "parse_wheel_filename",
            "prepare_linked_requirement",
            "prepare_linked_requirements_more",
            "process_project_url",
            "select_from_pylock_path_or_url",
            "sort_best_candidate",
            "supported",
        }
    ),
)

PROJECT = ForkProject(
    core=ROOT / "core" / "src" / "wheel_variants",
    core_needs=("packaging",),
    overlay=ROOT / "src",
    upstream=PIP,
    how_to_get=HOW_TO_GET,
    libraries=LIBRARIES,
    vendor="pip/_vendor/",
    licenses="src/pip/_vendor/",
    seams=SEAMS,
    sensitive=SENSITIVE,
)
