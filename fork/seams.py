"""The table of all edits to stock pip's files.

A decorator depends only on a function's name, signature and result, so decorators are the
usual seams. Edits inside a function are for values that exist nowhere else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from fork.engine.kinds import (
    Append,
    Constant,
    Decorate,
    Door,
    EditLiteral,
    InsertLine,
    ReplaceExpression,
    Seam,
)
from fork.version import VERSION

__all__ = ["SEAMS", "placed"]

_INTERNAL = Door(
    path="pip/_internal/variants/seams.py",
    name="_variants",
    statement="from pip._internal.variants import seams as _variants",
)
# Other processes import vendored packaging separately.
_PACKAGING = Door(
    path="pip/_vendor/packaging/_variants.py",
    name="_variants",
    statement="from . import _variants",
)

# By archive path of upstream's file: the reasons for the edits, and the edits.
_TABLE: Mapping[str, Mapping[str, Sequence[Seam]]] = {
    "pip/__init__.py": {
        "The version names the release of pip, and marks the fork.": [
            Constant("__version__", value=VERSION),
        ],
    },
    "pip/_internal/build_env/installer.py": {
        "Build requirements run on this machine, so pip ignores labels and host files.": [
            Decorate(
                "SubprocessBuildEnvironmentInstaller.install",
                "variants.hooks.build_env:build_requirements",
            ),
            Decorate(
                "InprocessBuildEnvironmentInstaller.install",
                "variants.hooks.build_env:build_requirements",
            ),
        ],
    },
    "pip/_internal/cache.py": {
        "pip must check a cached variant before reusing it.": [
            Decorate("Cache._get_candidates", "variants.hooks.prepare:cached_wheels"),
        ],
    },
    "pip/_internal/cli/base_command.py": {
        "A hint repeats the user's options.": [
            Decorate("Command.parse_args", "arguments_parsed"),
        ],
    },
    "pip/_internal/cli/cmdoptions.py": {
        "Every command that selects candidates has the variant options.": [
            Append(
                "package_selection_group",
                "selection_options",
                statement='package_selection_group["options"] = '
                '{hook}(package_selection_group["options"])',
            ),
        ],
    },
    "pip/_internal/cli/index_command.py": {
        "All connections of a session share the loaded certificates.": [
            Decorate("_create_truststore_ssl_context", "fast.switches:context_made"),
        ],
    },
    "pip/_internal/commands/__init__.py": {
        "The help lists `pip variants` before `pip help`.": [
            Append(
                "commands_dict",
                "add_commands",
                statement="{hook}(commands_dict, CommandInfo)",
            ),
        ],
        "`pip check` and `pip lock` have options of variants.": [
            Decorate("create_command", "command_created"),
        ],
    },
    "pip/_internal/commands/cache.py": {
        "`pip cache` manages unpacked wheels too.": [
            Decorate("CacheCommand.run", "variants.hooks.commands:cache_managed"),
        ],
    },
    "pip/_internal/commands/check.py": {
        "`pip check` checks installed variants again, and can be strict.": [
            Decorate("CheckCommand.run", "variants.hooks.check:checked"),
        ],
    },
    "pip/_internal/commands/inspect.py": {
        "`pip inspect` reports the installed variant.": [
            Decorate(
                "InspectCommand._dist_to_dict", "variants.hooks.commands:inspected"
            ),
        ],
    },
    "pip/_internal/commands/install.py": {
        "Users must not report the fork's bugs to upstream.": [
            EditLiteral(
                "InstallCommand._determine_conflicts",
                fragment="https://github.com/pypa/pip/issues/new",
                replacement="that of this fork, not of stock pip",
            ),
        ],
        "Only one pip at a time may install into a virtual environment.": [
            Decorate("InstallCommand.run", "fast.install_command:run"),
        ],
        "The summary names the labels of variants, also after a dry run.": [
            ReplaceExpression(
                "InstallCommand.run",
                "variants.hooks.commands:would_install",
                expression='(r.metadata["name"], r.metadata["version"])',
                replacement="{hook}({old}, r)",
            ),
            Decorate(
                "installed_packages_summary",
                "variants.hooks.installing:installed_summary",
                by="if_loaded",
            ),
        ],
    },
    "pip/_internal/commands/list.py": {
        "`pip list` shows the labels.": [
            Decorate("format_for_columns", "variants.hooks.commands:list_columns"),
            Decorate("format_for_json", "variants.hooks.commands:list_json"),
        ],
    },
    "pip/_internal/commands/lock.py": {
        "A lock file is also for other machines, so no variant is unsuitable.": [
            Decorate("LockCommand.run", ":lock_command"),
        ],
    },
    "pip/_internal/commands/show.py": {
        "`pip show` prints the variant below the version.": [
            InsertLine(
                "print_results",
                "variants.hooks.commands:show_variant",
                before='write_output("Summary: %s", dist.summary)',
                statement="{hook}(dist, verbose=verbose)",
            ),
        ],
    },
    "pip/_internal/commands/uninstall.py": {
        "Only one pip at a time may change a virtual environment.": [
            Decorate("UninstallCommand.run", "fast.environment_lock:uninstalling"),
        ],
    },
    "pip/_internal/exceptions/build.py": {
        "Users must not report the fork's bugs to upstream.": [
            EditLiteral(
                "BuildDependencyInstallError.__init__",
                fragment="https://github.com/pypa/pip/issues/new",
                replacement="that of this fork, not of stock pip",
            ),
        ],
    },
    "pip/_internal/index/collector.py": {
        "Both options and session are available here, so the run starts here.": [
            Decorate("LinkCollector.create", "variants.hooks.index:collector_created"),
        ],
    },
    "pip/_internal/index/package_finder.py": {
        "All links of a source pass here, so unsuitable links are removed here.": [
            ReplaceExpression(
                "PackageFinder.process_project_url",
                "fast.pages:links_of_page",
                by="if_fast",
                expression="list(parse_links(index_response))",
                replacement=(
                    "{hook}(lambda page, *_: list(parse_links(page)))"
                    "(index_response, self.target_python)"
                ),
            ),
            Decorate(
                "PackageFinder.evaluate_links", "variants.hooks.index:evaluate_links"
            ),
        ],
        "Listings omit versions with only unsuitable variants.": [
            Decorate(
                "PackageFinder.find_all_candidates",
                "variants.hooks.index:all_candidates",
            ),
        ],
    },
    "pip/_internal/index/sources.py": {
        "pip also searches a directory of wheels for manifests.": [
            Decorate(
                "_FlatDirectoryToUrls._scan_directory",
                "variants.hooks.index:scan_directory",
            ),
        ],
    },
    "pip/_internal/locations/__init__.py": {
        "Users must not report the fork's bugs to upstream.": [
            EditLiteral(
                "_warn_mismatched",
                fragment="https://github.com/pypa/pip/issues/10151",
                replacement="the maintainers of this fork",
            ),
        ],
    },
    "pip/_internal/metadata/importlib/_dists.py": {
        "On CPython 3.15, one package without METADATA must not stop all others.": [
            Decorate("Distribution._metadata_impl", "found_metadata"),
        ],
        "Dependencies depend on the variant, which is known here.": [
            Decorate(
                "Distribution.iter_dependencies",
                "variants.hooks.metadata:dependencies",
            ),
        ],
    },
    "pip/_internal/metadata/pkg_resources.py": {
        "Dependencies depend on the variant, which is known here; pkg_resources caches them.": [
            Decorate(
                "Distribution.iter_dependencies",
                "variants.hooks.metadata:dependencies",
            ),
            Decorate(
                "Distribution._extra_mapping",
                "variants.hooks.metadata:extra_mapping",
            ),
        ],
    },
    "pip/_internal/models/candidate.py": {
        "Files of one version share the parsed version, so that comparing is fast.": [
            Append(
                "InstallationCandidate",
                statement="parse_version = functools.lru_cache(8192)(parse_version)",
                requires="import functools",
            ),
        ],
    },
    "pip/_internal/models/installation_report.py": {
        "The installation report contains the selected variants and the machine.": [
            Decorate(
                "InstallationReport.to_dict",
                "variants.hooks.commands:reported",
            ),
        ],
    },
    "pip/_internal/network/download.py": {
        "Downloads are parallel, and resume after an interrupted run.": [
            Decorate("Downloader.batch", "fast.parallel_downloads:batch", by="if_fast"),
            Decorate(
                "Downloader.__call__", "fast.resumed_downloads:download", by="if_fast"
            ),
        ],
    },
    "pip/_internal/operations/freeze.py": {
        "`pip freeze` writes labels as comments.": [
            Decorate(
                "FrozenRequirement.from_dist",
                "variants.hooks.commands:frozen_requirement",
            ),
        ],
    },
    "pip/_internal/operations/install/wheel.py": {
        "A warning names the final location of a script.": [
            Decorate(
                "message_about_scripts_not_on_PATH",
                "fast.atomic_install:scripts_not_on_path",
                by="if_loaded",
            ),
        ],
        "pip records the supported properties when it installs a variant.": [
            InsertLine(
                "_install_wheel",
                "variants.hooks.installing:recorded_selection",
                by="if_loaded",
                before='record_text = distribution.read_text("RECORD")',
                statement=(
                    "generated.extend({hook}(lambda *_: [])(wheel_path, dest_info_dir))"
                ),
            ),
        ],
        "Files that were unpacked early are moved into place.": [
            Decorate("ZipBackedFile.save", "fast.unpacked_wheels:save", by="if_loaded"),
            Decorate(
                "_compile_wheel_file",
                "fast.install_root:compile_file",
                by="if_loaded",
            ),
        ],
    },
    "pip/_internal/operations/prepare.py": {
        "Metadata from the index does not contain the variant.": [
            Decorate(
                "RequirementPreparer._fetch_metadata_only",
                "variants.hooks.prepare:metadata_fetched",
            ),
        ],
        "pip builds nothing for another machine, but reads metadata of sdists.": [
            Decorate(
                "_get_prepared_distribution", "variants.hooks.prepare:source_prepared"
            ),
        ],
        "pip does not download a wheel that is unpacked in the cache.": [
            Decorate("unpack_url", "fast.install_command:unpack_url"),
        ],
        "The label follows the version in 'Requirement already satisfied'.": [
            ReplaceExpression(
                "RequirementPreparer.prepare_installed_requirement",
                "variants.hooks.metadata:with_variant",
                expression="req.satisfied_by.version",
                replacement='{hook}({old}, req.satisfied_by, ", variant {}")',
            ),
        ],
        "The wheel is available here; its metadata must match the manifest.": [
            Decorate(
                "RequirementPreparer._prepare_linked_requirement",
                "variants.hooks.prepare:prepared",
            ),
        ],
    },
    "pip/_internal/req/__init__.py": {
        "An interrupt during an installation must not lose the replaced packages.": [
            Decorate(
                "install_given_reqs",
                "fast.atomic_install:installing",
                by="if_loaded",
            ),
        ],
    },
    "pip/_internal/req/req_file.py": {
        "A requirements file may select variants.": [
            Append(
                "SUPPORTED_OPTIONS",
                "line_options",
                statement="SUPPORTED_OPTIONS = {hook}(SUPPORTED_OPTIONS)",
            ),
            Decorate("handle_line", "variants.hooks.index:requirements_line"),
        ],
    },
    "pip/_internal/req/req_install.py": {
        "A prepared package is moved into place.": [
            Decorate(
                "InstallRequirement.install",
                "fast.atomic_install:install",
                by="if_loaded",
            ),
        ],
    },
    "pip/_internal/req/req_uninstall.py": {
        "pip prepares all new packages before it removes the first old package.": [
            Decorate(
                "UninstallPathSet.from_dist",
                "fast.atomic_install:removal",
                by="if_loaded",
            ),
        ],
        "The label is part of the name of an uninstalled package.": [
            ReplaceExpression(
                "UninstallPathSet.remove",
                "variants.hooks.metadata:with_variant",
                expression='f"{self._dist.raw_name}-{self._dist.raw_version}"',
                replacement='{hook}({old}, self._dist, " ({})")',
            ),
        ],
    },
    "pip/_internal/resolution/resolvelib/factory.py": {
        "pip ranks the candidates of a release when the resolver requests a candidate.": [
            Decorate(
                "Factory._iter_found_candidates",
                "variants.hooks.resolution:found_candidates",
            ),
        ],
        "A wheel given as a file or URL must match the machine and the user's labels.": [
            Decorate(
                "Factory._make_base_candidate_from_link",
                "variants.hooks.resolution:link_candidate",
            ),
        ],
        "If no candidate is left, the error explains why variants were refused.": [
            Decorate(
                "Factory.get_installation_error",
                "variants.hooks.resolve:installation_error",
            ),
        ],
    },
    "pip/_internal/resolution/resolvelib/provider.py": {
        "Some variants have additional dependencies.": [
            Decorate(
                "PipProvider.get_dependencies",
                "variants.hooks.resolution:dependencies_met",
            ),
        ],
    },
    "pip/_internal/resolution/resolvelib/resolver.py": {
        "The selection is known: report it, check built wheels, lock, install.": [
            Decorate("Resolver.resolve", "variants.hooks.resolve:resolved"),
            Decorate(
                "Resolver.get_installation_order", "variants.hooks.prepare:to_install"
            ),
        ],
        "Another variant replaces the installed variant of the same version.": [
            ReplaceExpression(
                "Resolver.resolve",
                "variants.selection.candidates:is_other_build",
                expression="installed_dist.version != candidate.version",
                replacement="({old} or {hook}(installed_dist, candidate))",
            ),
        ],
    },
    "pip/_internal/self_outdated_check.py": {
        "The notice of a newer pip must not tell users to overwrite the fork.": [
            ReplaceExpression(
                "pip_self_version_check_fetch",
                "variants.hooks.updates:upgrade_prompt",
                expression=(
                    "_compute_upgrade_prompt(local_version=local_version, "
                    "remote_version_str=remote_version_str, "
                    "installed_by_pip=installed_by_pip, "
                    "show_upgrade_hint=not running_under_zipapp())"
                ),
                replacement=(
                    "{hook}({old}, options, local_version, remote_version_str, "
                    "installed_by_pip=installed_by_pip)"
                ),
            ),
        ],
    },
    "pip/_internal/utils/hashes.py": {
        "pip does not read a file again if it checked the file during the download.": [
            Decorate(
                "Hashes.check_against_path",
                "fast.digests:check_path",
                by="if_loaded",
            ),
        ],
    },
    "pip/_internal/utils/misc.py": {
        "pip reports the hash of a stored wheel, not the hash of its placeholder.": [
            Decorate("hash_file", "fast.digests:file_hashed", by="if_loaded"),
        ],
    },
    "pip/_internal/utils/pylock.py": {
        "pip locks all variants of a release, and the markers of each package.": [
            Decorate("pylock_from_install_requirements", ":lock_written"),
        ],
        "pip installs the best variant in a lock file for this machine.": [
            InsertLine(
                "select_from_pylock_path_or_url",
                ":narrowed_lock",
                before=(
                    "selected_groups: set[str] = "
                    "{canonicalize_name(name) for name in dependency_groups}"
                ),
                statement=(
                    "lock = {hook}(lambda lock, *_: lock)(lock, session, "
                    "pylock_path_or_url, format_control, extras, dependency_groups, "
                    "include_default_groups)"
                ),
            ),
        ],
    },
    "pip/_internal/utils/wheel.py": {
        "The size limit of a manifest also applies to a wheel's variant.json.": [
            Decorate("read_wheel_metadata_file", "metadata_file"),
        ],
    },
    "pip/_vendor/archspec/cpu/schema.py": {
        "The data must also be found when pip runs from a zip file.": [
            ReplaceExpression(
                "_load",
                expression='open(json_file, "r", encoding="utf-8")',
                replacement=(
                    "({old} if DIR_FROM_ENVIRONMENT in os.environ else io.BytesIO("
                    'pkgutil.get_data("pip._vendor.archspec", '
                    'f"json/cpu/{json_file.name}")))'
                ),
                requires="import io, pkgutil",
            ),
        ],
    },
    "pip/_vendor/packaging/_tokenizer.py": {
        "Environment markers may refer to the variant of a wheel.": [
            EditLiteral(
                "DEFAULT_RULES",
                fragment="|dependency_groups",
                replacement=(
                    "|dependency_groups|variant_(label|properties|features|namespaces)"
                ),
            ),
        ],
    },
    "pip/_vendor/packaging/markers.py": {
        "Variant markers have values in every evaluation.": [
            Decorate("Marker.evaluate", "evaluate_marker"),
        ],
    },
    "pip/_vendor/packaging/pylock.py": {
        "A package in a lock file may have the manifest of its variants.": [
            Decorate("Package._from_dict", "lock_package"),
        ],
    },
    "pip/_vendor/packaging/utils.py": {
        "A wheel's file name may end with a variant label.": [
            Decorate("parse_wheel_filename", "parse_wheel_filename"),
        ],
    },
}


def placed(seam: Seam, file: str, why: str) -> Seam:
    """Return a copy of *seam* with its file, purpose and door set."""
    in_packaging = file.startswith("pip/_vendor/packaging/")
    door = _PACKAGING if in_packaging else _INTERNAL
    return dataclasses.replace(seam, file=file, why=why, door=door)


#: Every edit.
SEAMS: tuple[Seam, ...] = tuple(
    placed(seam, file, why)
    for file, reasons in _TABLE.items()
    for why, seams in reasons.items()
    for seam in seams
)
