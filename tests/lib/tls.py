"""TLS for the servers of tests."""

from __future__ import annotations

import ssl
from pathlib import Path

import trustme

from tests.lib.index import IndexServer


def use_tls(server: IndexServer, folder: Path) -> None:
    """Make a server that has not started use TLS.

    :param folder: the folder for the certificate of the authority, the server's
        ``certificates``.
    """
    authority = trustme.CA()
    server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(server.host, "localhost").configure_cert(server.tls)
    server.certificates = folder / "ca.pem"
    authority.cert_pem.write_to_path(str(server.certificates))
