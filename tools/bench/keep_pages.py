"""Run the pip beside it, and keep each page of an index that it gets: FOLDER ARGUMENTS.

A script for any Python that has a pip; it imports nothing of this repository.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pip._vendor import requests

from pip._internal.cli.main import main

_JSON_TYPE = "application/vnd.pypi.simple.v1+json"
_send = requests.Session.send


def _keep(session: Any, request: Any, **options: Any) -> Any:
    response = _send(session, request, **options)
    if _JSON_TYPE in response.headers.get("Content-Type", ""):
        project = request.url.rstrip("/").rpartition("/")[2]
        Path(sys.argv[1], f"{project}.json").write_bytes(response.content)
    return response


if __name__ == "__main__":
    vars(requests)["Session"].send = _keep
    sys.exit(main(sys.argv[2:]))
