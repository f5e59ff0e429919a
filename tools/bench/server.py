"""An index on loopback as PyPI would be: TLS, the same headers, slow if asked to be.

Pages and files are on different ports, as they are on different hosts there, so that
clients need a connection for each. PyTorch's own index stands beside it.

Whatever it sends was computed before, so that clients wait for each other, for the
delay and for the bandwidth, and not for the server.
"""

from __future__ import annotations

import ssl
from pathlib import Path

import trustme

from tests.lib.pytorch_index import PyTorchIndexServer
from tools.bench.proxy import PYTORCH, Proxy

__all__ = ["HOST", "BenchServer"]

# A name, since older pips refuse certificates for addresses.
HOST = "localhost"


class BenchServer(PyTorchIndexServer):
    """An index with a proxy, which leads to it whatever host is asked for."""

    def __init__(self, folder: Path) -> None:
        """Prepare to serve.

        :param folder: where the certificates are written that clients are to trust.
        """
        super().__init__()
        self.host = HOST
        self.files_apart = self.compresses = self.is_fixed = True
        authority = trustme.CA()
        self.certificates = folder / "trusted.pem"
        trusted = [authority.cert_pem.bytes()]
        # All that the system trusts, since clients take their time to load it.
        if (system := ssl.get_default_verify_paths().cafile) is not None:
            trusted.append(Path(system).read_bytes())
        self.certificates.write_bytes(b"\n".join(trusted))
        #: The same index without TLS.
        self.plain = PyTorchIndexServer()
        self.plain.projects = self.projects
        self.plain.host = HOST
        self.plain.files_apart = self.plain.compresses = self.plain.is_fixed = True
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(HOST, PYTORCH).configure_cert(self.tls)

    def start(self, port: int = 0) -> None:
        """Begin to serve, by way of the proxy too."""
        super().start(port)
        self.plain.start()
        self._proxy = Proxy(self.port)
        self._proxy.start()

    def stop(self) -> None:
        """Stop serving and free the ports."""
        self._proxy.stop()
        self.plain.stop()
        super().stop()

    @property
    def proxy_url(self) -> str:
        """Return the address of the proxy."""
        return self._proxy.url
