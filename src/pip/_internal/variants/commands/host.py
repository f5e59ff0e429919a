"""``pip variants host``: show the properties that a machine supports."""

from __future__ import annotations

from collections.abc import Mapping
from optparse import Values

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import SUCCESS
from pip._internal.console.output import get_logger, quietly, write, write_document
from pip._internal.console.texts import Hint
from pip._internal.models.target_python import TargetPython
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.output import hosts
from pip._internal.variants.output.invocation import command as command_to_type
from pip._internal.variants.output.lookup import make_run, read_manifest
from pip._internal.variants.providers.chain import ProviderChain, warnings_of
from pip._internal.variants.providers.result import ProviderResult
from pip._internal.variants.providers.target import target_of
from pip._internal.variants.providers.tegra import cuda_of, problem
from pip._internal.variants.selection.accelerators import present
from pip._internal.variants.selection.run import noting_host
from pip._internal.variants.settings import Settings

logger = get_logger(__name__)


def run(command: SessionCommandMixin, options: Values, args: list[str]) -> int:
    """Show the supported properties; with ``--json``, print a host file."""
    if args:
        raise WrongUse(f"Too many arguments: {' '.join(args)}")
    if options.hardware and not options.json:
        raise WrongUse("--hardware needs --json")
    settings = Settings(options)
    with quietly(options.json):
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
        python = None
        if not options.hardware:
            target = target_of(settings, providers.host)
            python = TargetPython() if target is None else target.python
        write_document(providers.described_host(answers, python))
    else:
        _show(options, settings, providers, answers)
    return SUCCESS


def _show(
    options: Values,
    settings: Settings,
    providers: ProviderChain,
    answers: Mapping[str, ProviderResult],
) -> None:
    """Show the supported properties, and the command for details."""
    target = target_of(settings, providers.host)
    if target is not None and target.is_elsewhere:
        write([hosts.target_line(target)])
    for namespace, answer in answers.items():
        if options.verbose:
            write(hosts.provider_lines(namespace, answer))
        else:
            write([hosts.provider_line(namespace, answer)])
    tegra = providers.tegra()
    if tegra is not None:
        # Whether the Tegra runs builds for servers
        nvidia = answers.get("nvidia")
        write([f"{problem(tegra, None if nvidia is None else cuda_of(nvidia))}."])
    if not options.verbose:
        words = ["variants", "host", "--verbose"]
        if options.manifest is not None:
            words += ["--manifest", options.manifest]
        text = "To see all supported values and sources:"
        write([Hint(text, command_to_type(options, *words))])
    if present(answers) and providers.hardware and providers.host is None:
        from pip._internal.variants.commands.setup import in_force

        if not settings.is_typed("--variant-index") and not in_force(options):
            text = "Publishers' indexes with GPU wheels:"
            write([Hint(text, command_to_type(options, "variants", "setup"))])
