"""Compare the packages that this pip and uv install from one index."""

from __future__ import annotations

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
from tools.differential.releases import ALL_SCHEMAS, RandomRelease, random_release
from tools.others import run_uv, target_label

__all__ = ["Labels", "compare_with_uv"]

#: The label of each installed wheel; None for a plain wheel, or if nothing was installed.
Labels = dict[str, str | None]


def compare_with_uv(
    chance: random.Random, count: int
) -> tuple[dict[str, RandomRelease], Labels, Labels]:
    """Compare the installations of many random packages, in one run of each tool.

    :return: the packages, the labels that pip installed, and the labels that uv installed.
    """
    releases = {
        f"package{number}": random_release(chance, schema="0.2.0", static=True)
        for number in range(count)
    }
    for release in releases.values():
        # uv refuses manifests without a schema, and manifests with repeated values.
        release.document["$schema"] = ALL_SCHEMAS[release.schema]
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
        mine = Path(folder, "pip")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-cache-dir"]
        command += ["--target", str(mine), "--index-url", index.index_url, *releases]
        environ = {**scrubbed_environ(Path(folder)), "PATH": os.environ["PATH"]}
        environ["PYTHONPATH"] = os.environ["PYTHONPATH"]
        subprocess.run(command, env=environ, check=True)
        run_uv(
            Path(folder), ["--index-url", index.index_url, *releases]
        ).check_returncode()
        ours, theirs = (
            {name: target_label(target, name) for name in releases}
            for target in (mine, Path(folder, "target"))
        )
        return releases, ours, theirs
