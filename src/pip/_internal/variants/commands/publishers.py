"""Indexes with variants that publishers run, as far as they are known.

They were read about and never asked by whoever wrote this down: nothing here is contacted or
configured unless a user says so. Each is for its own projects alone, and is written into
pip's configuration in that form (``torch,torchvision=URL``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

__all__ = ["PUBLISHERS", "READ", "Publisher", "added", "removed", "taken"]

#: When these were read.
READ = "22 November 2026"
#: Where most of them stand.
_LIST = "index.toml of github.com/wheelnext/variants-index, of 27 January 2026"


class Publisher(NamedTuple):
    """An index of a publisher.

    :ivar name: what a user types.
    :ivar publisher: whose it is.
    :ivar url: as ``--variant-index`` takes it.
    :ivar projects: normalised names of what comes from there. What such an index has in
        old releases only is not among them.
    :ivar source: where this was read.
    :ivar note: what else to know before one uses it; may be empty.
    """

    name: str
    publisher: str
    url: str
    projects: Sequence[str]
    source: str = _LIST
    note: str = ""


_FEW = "A preview: few versions, older than those of the usual index."

#: In the order in which they are shown; no two that one can have together share a project.
PUBLISHERS = (
    # The triton that builds for CUDA need is on the usual index, in newer versions.
    Publisher(
        "pytorch",
        "PyTorch",
        "https://download.pytorch.org/whl/variant",
        ("torch", "torchvision", "triton-rocm", "triton-xpu"),
    ),
    Publisher(
        "pytorch-test",
        "PyTorch, test channel",
        "https://download.pytorch.org/whl/test/variant",
        ("torch", "torchvision", "triton-rocm", "triton-xpu"),
        "dev-discuss.pytorch.org, thread 3305",
        "Release candidates, in place of pytorch.",
    ),
    Publisher(
        "wheelnext",
        "WheelNext, for NVIDIA's libraries",
        "https://variants-index.wheelnext.dev",
        (
            *("cupy", "nvidia-cublas", "nvidia-cuda-cupti", "nvidia-cuda-nvrtc"),
            *("nvidia-cuda-runtime", "nvidia-cudnn", "nvidia-cufft", "nvidia-cufile"),
            *("nvidia-curand", "nvidia-cusolver", "nvidia-cusparse"),
            *("nvidia-cusparselt", "nvidia-nccl", "nvidia-nvjitlink"),
            *("nvidia-nvshmem", "nvidia-nvtx"),
            *("transformer-engine", "transformer-engine-lib"),
        ),
        note=_FEW,
    ),
    Publisher(
        "quansight",
        "Quansight, of NumPy and SciPy",
        "https://pypi.anaconda.org/mgorny/simple",
        ("numpy", "scikit-learn", "scipy"),
        note=_FEW,
    ),
    Publisher(
        "xgboost",
        "XGBoost",
        "https://wheels-variant.xgboost-ci.com",
        ("xgboost",),
        note=f"{_FEW} To install one takes --pre.",
    ),
    Publisher(
        "ascend",
        "Huawei, for Ascend",
        "https://mirrors.huaweicloud.com/ascend/repos/pypi/variant",
        ("huawei-ascend-variant-provider", "vllm-ascend"),
        note="Its builds are chosen by a plugin: --trust-variant-provider "
        "huawei-ascend-variant-provider. To install one takes --pre.",
    ),
)


def _split(value: str) -> list[tuple[list[str], str, str]]:
    """Return names, URL without a slash at the end, and text of each index in a value."""
    found = []
    for text in value.split():
        names, _, url = text.partition("=")
        projects = [str(canonicalize_name(each)) for each in names.split(",")]
        found.append((projects, url.rstrip("/"), text))
    return found


def taken(value: str, publisher: Publisher) -> dict[str, str]:
    """Return the URLs from which projects of a publisher come already, by project."""
    return {
        project: url
        for projects, url, _ in _split(value)
        for project in projects
        if project in publisher.projects
    }


def added(value: str, publisher: Publisher) -> str:
    """Add the index of a publisher to a value; what else stands there is kept as it is.

    No project of it may come from elsewhere (:func:`taken`).
    """
    there = taken(value, publisher)
    lacking = ",".join(each for each in publisher.projects if each not in there)
    return "\n".join(
        [*value.split(), *([f"{lacking}={publisher.url}"] if lacking else [])]
    )


def removed(value: str, publisher: Publisher) -> str:
    """Remove the index of a publisher from a value, for its projects alone."""
    texts = []
    for projects, url, text in _split(value):
        left = [each for each in projects if each not in publisher.projects]
        if url != publisher.url or left == projects:
            texts.append(text)
        elif left:
            texts.append(f"{','.join(left)}={text.partition('=')[2]}")
    return "\n".join(texts)
