"""Commands that run in the test's process know nothing of those before."""

from __future__ import annotations

from pathlib import Path

from tests.lib.environments import REPOSITORY
from tests.lib.in_process import InProcessWorkshop
from tests.lib.wheels import make_wheel


def test_a_folder_of_the_same_name_is_another_one(tmp_path: Path) -> None:
    workshop = InProcessWorkshop(REPOSITORY / "build" / "assembled")
    for name in ("first", "second"):
        environment = workshop.fork(tmp_path / name)
        folder = environment.work / "dist"
        folder.mkdir()
        make_wheel(name, "1.0").write_to(folder)
        install = ["install", "--dry-run", "--no-index", "-f", "dist", name]
        assert f"Would install {name}-1.0" in environment.pip(*install).lines
