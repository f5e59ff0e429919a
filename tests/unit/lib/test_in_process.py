"""Commands that run in the test's process know nothing of those before."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from tests.lib.environments import REPOSITORY
from tests.lib.faults import Fault, Gate
from tests.lib.in_process import InProcessWorkshop
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel


@pytest.fixture
def workshop() -> InProcessWorkshop:
    """Return what makes environments."""
    return InProcessWorkshop(REPOSITORY / "build" / "assembled")


def test_a_folder_of_the_same_name_is_another_one(
    workshop: InProcessWorkshop, tmp_path: Path
) -> None:
    for name in ("first", "second"):
        environment = workshop.fork(tmp_path / name)
        folder = environment.work / "dist"
        folder.mkdir()
        make_wheel(name, "1.0").write_to(folder)
        install = ["install", "--dry-run", "--no-index", "-f", "dist", name]
        assert f"Would install {name}-1.0" in environment.pip(*install).lines


def test_threads_that_were_left_say_nothing(
    workshop: InProcessWorkshop, index: IndexServer, tmp_path: Path
) -> None:
    index.add(make_wheel("demo", "1.0"))
    gate = Gate()
    index.faults["/simple/demo/"] = Fault(gate=gate)

    def retry() -> None:
        gate.wait_until_reached()
        logging.getLogger("pip._vendor.urllib3").warning("Retrying")
        gate.open()

    left = threading.Thread(target=retry)
    left.start()
    download = ["download", "--index-url", index.index_url, "demo"]
    result = workshop.fork(tmp_path / "later").pip(*download)
    left.join()
    assert "Successfully downloaded demo" in result.stdout
    assert result.stderr == ""
