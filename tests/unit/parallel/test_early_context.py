"""Upstream's TLS context is made early, once, and for who may have it."""

from __future__ import annotations

import ssl
import sys
import threading
from collections.abc import Iterator
from optparse import Values
from pathlib import Path
from typing import Any

import pytest
import trustme

from pip._vendor.truststore import SSLContext

from pip._internal.cli import index_command
from pip._internal.commands import create_command
from pip._internal.parallel import early_context
from pip._internal.parallel.connections import session_built
from pip._internal.parallel.early_context import EARLY_CONTEXT, JUDGED_BY_SYSTEM

pytestmark = pytest.mark.skipif(
    sys.platform in JUDGED_BY_SYSTEM, reason="here the system judges certificates"
)


@pytest.fixture(autouse=True)
def create() -> Iterator[Any]:
    """Return upstream's function, which keeps what it has made."""
    create = index_command._create_truststore_ssl_context
    create.cache_clear()
    # As in a new process.
    EARLY_CONTEXT.__init__()  # type: ignore[misc]
    yield create
    create.cache_clear()
    EARLY_CONTEXT.forget()


def _subjects(context: SSLContext) -> list[object]:
    return [each["subject"] for each in context._ctx.get_ca_certs()]


@pytest.mark.linux
def test_it_is_upstreams_and_trusts_the_system(
    create: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = tmp_path / "own.pem"
    trustme.CA(organization_name="mine").cert_pem.write_to_path(str(own))
    monkeypatch.setenv("SSL_CERT_FILE", str(own))
    plain = create()
    create.cache_clear()
    create_command("install")
    early = create()
    assert "wrap_socket" not in vars(plain)
    assert "wrap_socket" in vars(early)
    more = [each for each in _subjects(early) if each not in _subjects(plain)]
    assert len(more) == 1
    assert "mine" in str(more)


def test_there_is_one_for_the_process(create: Any) -> None:
    made = create()
    create_command("install")
    assert EARLY_CONTEXT.take() is None
    assert create() is made


def test_it_can_be_turned_off_for_all(create: Any) -> None:
    command = create_command("install")
    options, _ = command.parse_args(["--no-fast"])
    command._build_session(options)  # type: ignore[attr-defined]
    assert "wrap_socket" not in vars(create())


@pytest.mark.parametrize("name", ["list", "uninstall", "hash", "config"])
def test_other_commands_make_none(name: str) -> None:
    create_command(name)
    # As where its options are asked for, or help.
    create_command("install")
    assert EARLY_CONTEXT.take() is None


@pytest.mark.linux
def test_who_asks_for_options_takes_none_away() -> None:
    create_command("install")
    create_command("list")
    assert EARLY_CONTEXT.take() is not None


def test_what_fails_is_made_again() -> None:
    def fail() -> object:
        raise ssl.SSLError("no certificates")

    EARLY_CONTEXT.begin(fail)
    made = early_context.context_created(lambda: "again")
    assert made == "again"


def test_without_a_thread_it_is_made_when_due(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    create_command("install")
    assert early_context.context_created(lambda: "due") == "due"


@pytest.mark.parametrize("no_fast", [False, True])
def test_it_can_be_turned_off(no_fast: bool) -> None:
    class Session:
        @staticmethod
        def get_adapter(_: str) -> object:
            return object.__new__(type("Adapter", (), {}))

    taken = []

    def build(*_: object) -> Session:
        taken.append(early_context.context_created(lambda: None))
        return Session()

    EARLY_CONTEXT.begin(lambda: "early")
    session_built(build, None, Values({"no_fast": no_fast}))  # type: ignore[arg-type]
    assert taken == [None if no_fast else "early"]
