"""``pip variants host``: show what a machine supports, or write its host file."""

from __future__ import annotations

import optparse
from collections.abc import Mapping

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import SUCCESS
from pip._internal.console.output import get_logger, only_output, write, write_document
from pip._internal.console.texts import Hint
from pip._internal.models.target_python import TargetPython
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.output import sentences
from pip._internal.variants.output.invocation import command as command_to_type
from pip._internal.variants.output.lookup import make_run
from pip._internal.variants.output.manifest_file import read_manifest
from pip._internal.variants.providers.chain import ProviderChain, warnings_of
from pip._internal.variants.providers.host_file import HostDescription
from pip._internal.variants.providers.result import ProviderResult
from pip._internal.variants.providers.target import target_of
from pip._internal.variants.selection.accelerators import present
from pip._internal.variants.selection.contradictions import refuse_contradictions
from pip._internal.variants.selection.run import noting_host
from pip._internal.variants.selection.settings import Settings

logger = get_logger(__name__)


def run(command: SessionCommandMixin, options: optparse.Values, args: list[str]) -> int:
    """Show what a machine supports; with ``--json``, as a host file."""
    if args:
        raise WrongUse(f"Too many arguments: {' '.join(args)}")
    settings = Settings(options)
    refuse_contradictions(settings)
    with only_output(options):
        if options.manifest is None:
            with noting_host(settings):
                providers = ProviderChain.for_settings(settings)
            answers = providers.query_all()
        else:
            asked = read_manifest(options.manifest)
            run = make_run(command.get_default_session(options), options)
            providers = run.target.providers
            answers = providers.query_all(asked)
        for warning in warnings_of(answers):
            logger.warning("%s", warning)
    if options.json:
        python = None if options.hardware else _python(settings, providers.host)
        write_document(providers.described_host(answers, python))
    else:
        _show(options, settings, providers, answers)
    return SUCCESS


def _show(
    options: optparse.Values,
    settings: Settings,
    providers: ProviderChain,
    answers: Mapping[str, ProviderResult],
) -> None:
    """Show for people what is supported, and what to type to see more."""
    target = target_of(settings, providers.host)
    if target is not None and target.is_elsewhere:
        write([sentences.target_line(target)])
    for namespace, answer in answers.items():
        if options.verbose:
            write(sentences.provider_lines(namespace, answer))
        else:
            write([sentences.provider_line(namespace, answer)])
    tegra = providers.tegra()
    if tegra is not None:
        write([sentences.tegra_line(tegra, answers.get("nvidia"))])
    if not options.verbose:
        words = ["variants", "host", "--verbose"]
        if options.manifest is not None:
            words += ["--manifest", options.manifest]
        said = "All that is supported, and what told so:"
        write([Hint(said, command_to_type(options, *words))])
    if _may_set_up(options, settings, providers, answers):
        said = "Indexes that publishers run, with builds for GPUs:"
        write([Hint(said, command_to_type(options, "variants", "setup"))])


def _python(settings: Settings, host: HostDescription | None) -> TargetPython:
    """Return the platform and the interpreter of the target."""
    described = target_of(settings, host)
    return TargetPython() if described is None else described.python


def _may_set_up(
    options: optparse.Values,
    settings: Settings,
    providers: ProviderChain,
    answers: Mapping[str, ProviderResult],
) -> bool:
    """Return whether this machine has an accelerator, and no index is named for any project."""
    if not present(answers) or not providers.hardware or providers.host is not None:
        return False
    from pip._internal.variants.commands.index_file import effective

    is_typed = settings.is_typed("--variant-index")
    return not is_typed and not effective(options)
