"""Where upstream pip is touched: every edit of an upstream file stands in this table.

A decorator depends on a function's name, signature and result only, so it is the normal
seam; an edit inside a function is for values that live nowhere else.
"""

from __future__ import annotations

from fork.kinds import (
    Append,
    Constant,
    Decorate,
    EditLiteral,
    InsertLine,
    ReplaceExpression,
    Seam,
)
from fork.version import VERSION

__all__ = ["SEAMS"]

_P = "pip/_internal/"
_V = "pip/_vendor/"

SEAMS: tuple[Seam, ...] = (
    Constant(
        file="pip/__init__.py",
        target="__version__",
        value=VERSION,
        why="The fork says which release of pip it is and that it is a fork.",
    ),
    Decorate(
        file=_V + "packaging/utils.py",
        target="parse_wheel_filename",
        hook="parse_wheel_filename",
        why="A wheel's file name may end with a variant label.",
    ),
    EditLiteral(
        file=_V + "packaging/_tokenizer.py",
        target="DEFAULT_RULES",
        fragment="|dependency_groups",
        replacement="|dependency_groups|variant_(label|properties|features|namespaces)",
        why="Environment markers may ask which variant a wheel is.",
    ),
    Decorate(
        file=_V + "packaging/markers.py",
        target="Marker.evaluate",
        hook="evaluate_marker",
        why="Markers about variants have values wherever a marker is evaluated.",
    ),
    Decorate(
        file=_V + "packaging/pylock.py",
        target="Package._from_dict",
        hook="lock_package",
        why="A package in a lock file may have the manifest of its variants.",
    ),
    Decorate(
        file=_P + "metadata/importlib/_dists.py",
        target="Distribution.iter_dependencies",
        hook="dependencies",
        why="Here it is known of which variant the dependencies are.",
    ),
    Decorate(
        file=_P + "metadata/pkg_resources.py",
        target="Distribution.iter_dependencies",
        hook="dependencies",
        why="Here it is known of which variant the dependencies are.",
    ),
    Decorate(
        file=_P + "metadata/pkg_resources.py",
        target="Distribution._extra_mapping",
        hook="extra_mapping",
        why="pkg_resources evaluates and keeps all dependencies here.",
    ),
    Decorate(
        file=_P + "utils/wheel.py",
        target="read_wheel_metadata_file",
        hook="metadata_file",
        why="A wheel's variant.json may not be larger than a manifest.",
    ),
    Decorate(
        file=_P + "operations/prepare.py",
        target="RequirementPreparer._fetch_metadata_only",
        hook="metadata_fetched",
        why="Metadata that comes without its wheel does not tell its variant.",
    ),
    Decorate(
        file=_P + "models/link.py",
        target="Link.from_json",
        hook="manifest_link_from_json",
        why="A JSON index names a manifest by its file name, not by its URL.",
    ),
    Decorate(
        file=_P + "index/sources.py",
        target="_FlatDirectoryToUrls._scan_directory",
        hook="scan_directory",
        why="A directory of wheels is searched for manifests too.",
    ),
    Decorate(
        file=_P + "index/collector.py",
        target="LinkCollector.create",
        hook="collector_created",
        why="Options and session meet here, so one command's state is made here.",
    ),
    Decorate(
        file=_P + "index/package_finder.py",
        target="PackageFinder.evaluate_links",
        hook="evaluate_links",
        why="All links of a source pass here: manifests are set aside.",
    ),
    Decorate(
        file=_P + "index/package_finder.py",
        target="PackageFinder.find_all_candidates",
        hook="all_candidates",
        why="A listing leaves out versions that exist only as unsuitable variants.",
    ),
    Decorate(
        file=_P + "resolution/resolvelib/factory.py",
        target="Factory._iter_found_candidates",
        hook="found_candidates",
        why="The candidates of one release are ranked when the resolver takes one.",
    ),
    Decorate(
        file=_P + "resolution/resolvelib/provider.py",
        target="PipProvider.get_dependencies",
        hook="dependencies_met",
        why="What the resolver will look at next is asked for at the same time.",
    ),
    Decorate(
        file=_P + "resolution/resolvelib/factory.py",
        target="Factory._fail_if_link_is_unsupported_wheel",
        hook="unsupported_wheel",
        why="A variant wheel given as a file or URL must suit the machine.",
    ),
    Decorate(
        file=_P + "resolution/resolvelib/factory.py",
        target="Factory.get_installation_error",
        hook="installation_error",
        why="When nothing is left, say which variants were refused and why.",
    ),
    Decorate(
        file=_P + "resolution/resolvelib/resolver.py",
        target="Resolver.resolve",
        hook="resolved",
        why="The choices are known: announce them and judge labels given by hand.",
    ),
    ReplaceExpression(
        file=_P + "resolution/resolvelib/resolver.py",
        target="Resolver.resolve",
        expression="installed_dist.version != candidate.version",
        replacement="({old} or _variants.is_other_build(installed_dist, candidate))",
        hook="is_other_build",
        why="Another build of the installed version is installed in its place.",
    ),
    Decorate(
        file=_P + "operations/prepare.py",
        target="RequirementPreparer.prepare_linked_requirements_more",
        hook="wheels_due",
        why="Whoever waited for several manifests need not wait for each wheel.",
    ),
    Decorate(
        file=_P + "operations/prepare.py",
        target="RequirementPreparer._prepare_linked_requirement",
        hook="prepared",
        why="The wheel is here: its own metadata must agree with the manifest.",
    ),
    Decorate(
        file=_P + "req/__init__.py",
        target="install_given_reqs",
        hook="installing",
        why="Whoever interrupts an installation must not lose what is being replaced.",
    ),
    Decorate(
        file=_P + "req/req_install.py",
        target="InstallRequirement.uninstall",
        hook="uninstall",
        why="Nothing is taken away before all that replaces it lies ready.",
    ),
    Decorate(
        file=_P + "req/req_uninstall.py",
        target="UninstallPathSet.from_dist",
        hook="removal",
        why="What is to be taken away was found out before anything went.",
    ),
    Decorate(
        file=_P + "req/req_install.py",
        target="InstallRequirement.install",
        hook="install",
        why="What lies ready is moved to its place.",
    ),
    Decorate(
        file=_P + "operations/install/wheel.py",
        target="message_about_scripts_not_on_PATH",
        hook="scripts_not_on_path",
        why="A warning names the place where a script will be.",
    ),
    Decorate(
        file=_P + "cli/base_command.py",
        target="Command.parse_args",
        hook="arguments_parsed",
        why="A hint repeats the options that were typed.",
    ),
    Decorate(
        file=_P + "commands/install.py",
        target="InstallCommand.run",
        hook="mended",
        why="What a killed run was replacing is finished before anything else.",
    ),
    Decorate(
        file=_P + "commands/uninstall.py",
        target="UninstallCommand.run",
        hook="mended",
        why="What a killed run was replacing is finished before anything else.",
    ),
    Decorate(
        file=_P + "operations/install/wheel.py",
        target="_record_wheel_installation",
        hook="installing_wheel",
        why="Of a variant that cannot be installed as a whole, nothing is to be left.",
    ),
    ReplaceExpression(
        file=_P + "operations/install/wheel.py",
        target="_install_wheel",
        expression="BlockedImportError",
        replacement="({old}, OSError, KeyboardInterrupt)",
        why="A file that was begun is to be taken away too.",
    ),
    InsertLine(
        file=_P + "operations/install/wheel.py",
        target="_install_wheel",
        before='record_text = distribution.read_text("RECORD")',
        statement=(
            "generated.extend(_variants.record_selection(wheel_path, dest_info_dir))"
        ),
        hook="record_selection",
        why="What was supported when a variant was installed is written down.",
    ),
    Decorate(
        file=_P + "operations/install/wheel.py",
        target="ZipBackedFile.save",
        hook="save_file",
        why="A file that was unpacked during other downloads is moved to its place.",
    ),
    Decorate(
        file=_P + "operations/install/wheel.py",
        target="_compile_wheel_file",
        hook="compile_file",
        why="So is what a module was compiled to.",
    ),
    ReplaceExpression(
        file=_P + "cli/cmdoptions.py",
        target="use_new_feature",
        expression='"venv-isolation"',
        replacement='{old}, "parallel-downloads"',
        why="`--use-feature parallel-downloads` may be given.",
    ),
    Decorate(
        file=_P + "cli/req_command.py",
        target="RequirementCommand.make_requirement_preparer",
        hook="requirement_preparer",
        why="Here options meet what downloads the files of a command.",
    ),
    Decorate(
        file=_P + "operations/prepare.py",
        target="RequirementPreparer._complete_partial_requirements",
        hook="downloads_left",
        why="All downloads that are left are known, and what they must be.",
    ),
    Decorate(
        file=_P + "utils/hashes.py",
        target="Hashes.check_against_path",
        hook="check_path",
        why="A file that was checked while it was downloaded is not read again.",
    ),
    Decorate(
        file=_P + "cache.py",
        target="Cache._get_candidates",
        hook="cached_wheels",
        why="A cached wheel with a label must not be reused unjudged.",
    ),
    Decorate(
        file=_P + "commands/cache.py",
        target="CacheCommand.get_cache_info",
        hook="cache_info",
        why="`pip cache info` counts the environments of provider plugins.",
    ),
    Decorate(
        file=_P + "commands/cache.py",
        target="CacheCommand.purge_cache",
        hook="purge_cache",
        why="`pip cache purge` removes the environments of provider plugins.",
    ),
    Append(
        file=_P + "commands/__init__.py",
        target="commands_dict",
        statement="_variants.add_commands(commands_dict, CommandInfo)",
        hook="add_commands",
        why="The command group of variants is listed before help.",
    ),
    Append(
        file=_P + "cli/cmdoptions.py",
        target="package_selection_group",
        statement=(
            'package_selection_group["options"] = '
            '_variants.selection_options(package_selection_group["options"])'
        ),
        hook="selection_options",
        why="Every command that chooses candidates has the variant options.",
    ),
    Append(
        file=_P + "req/req_file.py",
        target="SUPPORTED_OPTIONS",
        statement="SUPPORTED_OPTIONS = _variants.line_options(SUPPORTED_OPTIONS)",
        hook="line_options",
        why="A requirements file may choose variants.",
    ),
    Decorate(
        file=_P + "req/req_file.py",
        target="handle_line",
        hook="requirements_line",
        why="Variant options of a requirements file are taken over.",
    ),
    Decorate(
        file=_P + "commands/lock.py",
        target="LockCommand.run",
        hook="lock_command",
        why="A lock file is for other machines too: no build is unsuitable.",
    ),
    Decorate(
        file=_P + "utils/pylock.py",
        target="pylock_from_install_requirements",
        hook="lock_written",
        why="All builds of a release are locked, and when each package is needed.",
    ),
    InsertLine(
        file=_P + "utils/pylock.py",
        target="select_from_pylock_path_or_url",
        before=(
            "selected_groups: set[str] = "
            "{canonicalize_name(name) for name in dependency_groups}"
        ),
        statement=(
            "lock = _variants.narrowed_lock(lock, session, pylock_path_or_url, "
            "format_control, extras, dependency_groups, include_default_groups)"
        ),
        hook="narrowed_lock",
        why="Of the builds in a lock file, the best one here is installed.",
    ),
    Decorate(
        file=_P + "commands/index.py",
        target="IndexCommand._build_package_finder",
        hook="index_finder",
        why="`pip index versions` judges every version.",
    ),
    Decorate(
        file=_P + "commands/list.py",
        target="ListCommand._build_package_finder",
        hook="list_finder",
        why="`pip list --outdated` judges the newest versions only.",
    ),
    Decorate(
        file=_P + "commands/list.py",
        target="format_for_columns",
        hook="list_columns",
        why="`pip list` has a column of labels.",
    ),
    Decorate(
        file=_P + "commands/list.py",
        target="format_for_json",
        hook="list_json",
        why="`pip list --format json` names the labels.",
    ),
    InsertLine(
        file=_P + "commands/show.py",
        target="print_results",
        before='write_output("Summary: %s", dist.summary)',
        statement="_variants.show_variant(dist, verbose=verbose)",
        hook="show_variant",
        why="`pip show` tells a variant below its version.",
    ),
    Decorate(
        file=_P + "commands/inspect.py",
        target="InspectCommand._dist_to_dict",
        hook="inspected",
        why="`pip inspect` tells which variant is installed.",
    ),
    Decorate(
        file=_P + "operations/freeze.py",
        target="FrozenRequirement.from_dist",
        hook="frozen_requirement",
        why="`pip freeze` writes the label of a variant as a comment.",
    ),
    Decorate(
        file=_P + "operations/freeze.py",
        target="freeze",
        hook="freeze",
        why="Such comments in the file of `pip freeze -r` are replaced.",
    ),
    Decorate(
        file=_P + "commands/check.py",
        target="CheckCommand.run",
        hook="checked",
        why="`pip check` judges installed variants anew.",
    ),
    ReplaceExpression(
        file=_P + "commands/check.py",
        target="CheckCommand.run",
        expression='"No broken requirements found."',
        replacement="_variants.nothing_broken({old}, options)",
        hook="nothing_broken",
        why="`pip check` does not end as if all were well where a variant is not.",
    ),
    Append(
        file=_P + "commands/check.py",
        target="CheckCommand",
        statement=(
            "CheckCommand.add_options = _variants.check_options(Command.add_options)"
        ),
        hook="check_options",
        why="`pip check --strict-variants` makes an error of that.",
    ),
    Decorate(
        file=_P + "models/installation_report.py",
        target="InstallationReport._install_req_to_dict",
        hook="report_item",
        why="The installation report tells which variants were chosen.",
    ),
    ReplaceExpression(
        file=_P + "commands/install.py",
        target="InstallCommand.run",
        expression='(r.metadata["name"], r.metadata["version"])',
        replacement="_variants.would_install({old}, r)",
        hook="would_install",
        why="The summary of a dry run names the labels of variants.",
    ),
    Decorate(
        file=_P + "commands/install.py",
        target="installed_packages_summary",
        hook="installed_summary",
        why="The summary names the labels of the variants that were installed.",
    ),
    Decorate(
        file=_P + "commands/debug.py",
        target="show_tags",
        hook="debug_tags",
        why="`pip debug` shows the supported properties below the tags.",
    ),
    Decorate(
        file=_P + "commands/debug.py",
        target="DebugCommand.add_options",
        hook="debug_options",
        why="`pip debug` can describe another machine.",
    ),
    Decorate(
        file=_P + "build_env/installer.py",
        target="SubprocessBuildEnvironmentInstaller.install",
        hook="build_requirements",
        why="Build requirements run on this machine: no label or host file counts.",
    ),
    Decorate(
        file=_P + "build_env/installer.py",
        target="InprocessBuildEnvironmentInstaller.install",
        hook="build_requirements",
        why="Build requirements run on this machine: no label or host file counts.",
    ),
    Decorate(
        file=_P + "self_outdated_check.py",
        target="_get_current_remote_pip_version",
        hook="remote_pip_version",
        why="The upgrade notice must not tell users to overwrite the fork.",
    ),
    ReplaceExpression(
        file=_V + "archspec/cpu/schema.py",
        target="_load",
        expression='open(json_file, "r", encoding="utf-8")',
        replacement=(
            "({old} if DIR_FROM_ENVIRONMENT in os.environ else io.BytesIO("
            'pkgutil.get_data("pip._vendor.archspec", f"json/cpu/{json_file.name}")))'
        ),
        requires="import io, pkgutil",
        why="The data must also be found when pip runs from a zip file.",
    ),
)
