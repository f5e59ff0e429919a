"""What this pip and uv install from one index, each as users run it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.lib.environments import scrubbed_environ
from tests.lib.index import IndexServer
from tests.lib.manifests import variant_json
from tests.lib.wheels import make_wheel
from tools.differential.releases import GENERATIONS, Release, random_release

__all__ = ["Labels", "compare_with_uv"]

#: The label of the build that was installed; None for a plain one, and for none.
Labels = dict[str, str | None]


def compare_with_uv(
    chance: random.Random, count: int
) -> tuple[dict[str, Release], Labels, Labels]:
    """Install many random packages at once with both.

    :return: the packages, what pip installed of them and what uv did.
    """
    releases = {
        f"package{number}": random_release(chance, generation="0.2.0", static=True)
        for number in range(count)
    }
    for release in releases.values():
        # uv refuses manifests without a schema, and values that are repeated.
        release.document["$schema"] = GENERATIONS[release.generation]
        for properties in release.document["variants"].values():
            for features in properties.values():
                for feature, values in features.items():
                    features[feature] = list(dict.fromkeys(values))
    with IndexServer() as index, TemporaryDirectory(prefix="differential-") as folder:
        for name, release in releases.items():
            index.add_release(name, "1.0", {}, manifest=release.document)
            for label in release.labels:
                if label == "null" and label not in release.document["variants"]:
                    null = {**release.document, "variants": {label: {}}}
                    own = variant_json(null, label)
                    index.add(make_wheel(name, "1.0", label=label, variant_json=own))
        home = Path(folder, "home")
        home.mkdir()
        environ = {**scrubbed_environ(home), "PATH": os.environ["PATH"]}
        mine, others = Path(folder, "pip"), Path(folder, "uv")
        assembled = os.environ["PYTHONPATH"]
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--no-cache-dir"),
                *("--target", str(mine), "--index-url", index.index_url, *releases),
            ],
            env={**environ, "PYTHONPATH": assembled},
            check=True,
        )
        subprocess.run(
            [
                *(
                    sys.executable,
                    "-m",
                    "uv",
                    "pip",
                    "install",
                    "--quiet",
                    "--no-cache",
                ),
                *("--no-config", "--preview-features", "wheel-variants"),
                *(
                    "--python",
                    sys.executable,
                    "--target",
                    str(others),
                    "--index-url",
                    index.index_url,
                    *releases,
                ),
            ],
            env=environ,
            check=True,
        )
        return releases, _labels(mine, releases), _labels(others, releases)


def _labels(folder: Path, releases: dict[str, Release]) -> Labels:
    labels: Labels = {}
    for name in releases:
        path = folder / f"{name}-1.0.dist-info" / "variant.json"
        found = json.loads(path.read_text())["variants"] if path.exists() else {None: 0}
        (labels[name],) = found
    return labels
