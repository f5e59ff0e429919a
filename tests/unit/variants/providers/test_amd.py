"""AMD's GPUs and ROCm are read from files, as ROCm itself would see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pip._internal.variants.providers import amd
from pip._internal.variants.providers.amd import (
    BOOTSTRAP_VARIABLE,
    GFX_VARIABLE,
    ROCM_VARIABLE,
)
from pip._internal.variants.providers.result import ProviderResult
from tests.unit.variants.providers.asking import ask

TOPOLOGY = "sys/class/kfd/kfd/topology/nodes"
FIRST_RENDER_MINOR = 128

NO_ROCM = "pip found no ROCm version"
ANOTHER_MACHINE = "the target is another machine"

# gfx90a, gfx1100 and gfx1036, as a driver writes them.
MI210, RX7900, RAPHAEL = 90010, 110000, 100306


class Machine:
    """A folder in which the files of a machine with AMD's driver lie.

    :ivar root: the folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._nodes = 0
        self.write("dev/kfd", "")

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def add_node(self, text: str) -> Path:
        """Add a node with these properties, and return its file."""
        path = f"{TOPOLOGY}/{self._nodes}/properties"
        self.write(path, text)
        self._nodes += 1
        return self.root / path

    def add_cpu(self) -> None:
        self.add_node(
            "cpu_cores_count 16\nsimd_count 0\nunique_id 0\ngfx_target_version 0\n"
            "drm_render_minor 0\n"
        )

    def add_gpu(self, target: int, unique_id: int = 0, size: int = 416) -> Path:
        """Add a GPU with its device, and return the file of its properties.

        :param size: the number of SIMD units.
        """
        minor = FIRST_RENDER_MINOR + self._nodes
        self.write(f"dev/dri/renderD{minor}", "")
        return self.add_node(
            f"cpu_cores_count 0\nsimd_count {size}\nunique_id {unique_id}\n"
            f"gfx_target_version {target}\ndrm_render_minor {minor}\n"
            "hive_id 18446744073709551615\n"
        )

    def install_rocm(self, version: str, folder: str = "opt/rocm") -> None:
        self.write(f"{folder}/.info/version", version)

    def ask(
        self, environ: Mapping[str, str] | None = None, *, hardware: bool = True
    ) -> ProviderResult:
        return amd.detect(environ or {}, hardware=hardware, root=str(self.root))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Return a machine with a CPU and AMD's driver, but as yet no GPU and no ROCm."""
    machine = Machine(tmp_path)
    # Not of the CPU, although its node has this number.
    machine.write("dev/dri/renderD0", "")
    machine.add_cpu()
    return machine


def features(answer: ProviderResult) -> dict[str, tuple[str, ...]]:
    return {feature.name: feature.values for feature in answer.features}


def architectures(answer: ProviderResult) -> tuple[str, ...]:
    return features(answer).get("gfx_arch", ())


@dataclass(frozen=True)
class Case:
    """A machine, and what it is found to support.

    :ivar gpus: the version of each, or all that the kernel tells of it.
    :ivar rocm: the content of the file of its version; None: there is none.
    :ivar gfx: the architectures; ``version`` is that of ROCm.
    :ivar reason: a part of it; there is none without it.
    :ivar warned: whether the user is warned, too.
    :ivar gone: a device that the container was not given.
    """

    gpus: Sequence[int | tuple[int, int, int]] = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    rocm: str | None = "6.4.1"
    gfx: str = ""
    version: str = "6.4"
    reason: str = ""
    warned: bool = False
    gone: str | None = None


OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"
VISIBLE = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
HIDDEN = "{} hides every AMD GPU: {!r}"
NO_GPU = "the AMD driver shows no GPU to this user"
UNTOLD = (
    f"the AMD driver does not report the architecture of a GPU; to name the architecture, set "
    f"{GFX_VARIABLE}"
)
#: A gfx1030, gfx1100, gfx1101 and gfx90a, of which three have a UUID.
FOUR = (
    (100300, 0, 416),
    (110000, 0xDEADBEEF, 416),
    (110001, 0xABCD1 << 44, 416),
    (90010, 0xABCD2 << 44, 416),
)

CASES = {
    "a GPU and ROCm": Case([MI210], gfx="gfx90a"),
    "no GPU": Case(reason=NO_GPU),
    "no ROCm": Case([MI210], rocm=None, gfx="gfx90a", version="", reason=NO_ROCM),
    # What is in a processor has two compute units.
    "larger GPUs first": Case(
        [(RAPHAEL, 0, 4), (RX7900, 0, 96), (RX7900, 0, 192), (120001, 0, 128)],
        gfx="gfx1100 gfx1201 gfx1036",
    ),
    "each once, by name": Case(
        [MI210, 110002, MI210, RX7900, 100300], gfx="gfx1030 gfx1100 gfx1102 gfx90a"
    ),
    # No GPU is 1.0.16 or 1.16.0, nor does a driver tell it as the others are.
    **{
        f"{target} is no version": Case(
            [target, RX7900, target], gfx="gfx1100", reason=UNTOLD
        )
        for target in (0, 5999, 10016, 11600, 18446744073709551615)
    },
    "no GPU that is told": Case([4], reason=UNTOLD),
    **{
        f"{name} is {target}": Case([target], gfx=name)
        for name, target in {
            "gfx701": 70001,
            "gfx90c": 90012,
            "gfx942": 90402,
            "gfx1151": 110501,
            "gfx1250": 120500,
            # What comes next.
            "gfx13fa": 131510,
        }.items()
    },
    **{
        f"visible: {visible}": Case(FOUR, {VISIBLE[0]: visible}, gfx=left)
        for visible, left in {
            " 2 , 0": "gfx1030 gfx1101",
            "0,9,1": "gfx1030",
            "1,-1,2": "gfx1100",
            "2,2,1": "gfx1101",
            "gpu-00000000deadbeef,0": "gfx1030 gfx1100",
            "GPU-ABCD1,0": "gfx1030 gfx1101",
            "0,GPU-ABCD,1": "gfx1030",
            "0,GPU-,1": "gfx1030",
            "0,GPU-00000000DEADBEEF0,1": "gfx1030",
        }.items()
    },
    **{
        f"{variable}={visible}": Case(
            [RX7900], {variable: visible}, reason=HIDDEN.format(variable, visible)
        )
        for variable in VISIBLE
        for visible in ("-1", "1", "GPU-1", ",")
    },
    "an empty list hides from ROCm": Case(
        [RX7900], {VISIBLE[0]: ""}, reason=HIDDEN.format(VISIBLE[0], "")
    ),
    "an empty list does not hide from HIP": Case(
        [RX7900], dict.fromkeys(VISIBLE[1:], ""), gfx="gfx1100"
    ),
    "HIP counts what ROCm leaves": Case(
        FOUR, {VISIBLE[0]: "2,1", VISIBLE[1]: "0"}, gfx="gfx1101"
    ),
    "HIP's list is stronger than CUDA's": Case(
        FOUR, {VISIBLE[1]: "1", VISIBLE[2]: "2"}, gfx="gfx1100"
    ),
    "nodes count by their number": Case(
        [100300] * 9 + [110000], {VISIBLE[0]: "9"}, gfx="gfx1100"
    ),
    "a hidden GPU need not be told": Case(
        [RX7900, 0], {VISIBLE[0]: "0"}, gfx="gfx1100"
    ),
    **{
        f"{OVERRIDE}={text}": Case([RAPHAEL, RX7900], {OVERRIDE: text}, gfx=gfx)
        for text, gfx in {"10.3.0": "gfx1030", "9.0.10": "gfx90a"}.items()
    },
    **{
        f"{variable}={text}": Case([MI210], {variable: text, VISIBLE[0]: ""}, gfx=names)
        for variable in (GFX_VARIABLE, BOOTSTRAP_VARIABLE)
        for text, names in {
            " gfx90a; gfx1100\tgfx942,, ": "gfx90a gfx1100 gfx942",
            "GFX90A gfx90a": "gfx90a",
            # They share their packages, says rocm-bootstrap.
            "gfx1250,gfx1250-strict": "gfx1250",
        }.items()
    },
    **{
        f"{variable}={text} is invalid": Case(
            [MI210], {variable: text}, reason=f"{variable} is ", warned=True
        )
        for variable, texts in {
            GFX_VARIABLE: (",", "mi300", "gfx90a:xnack-", "gfx90a,amd", "gfx9-generic"),
            BOOTSTRAP_VARIABLE: ("gfx",),
            OVERRIDE: ("gfx1030", "10.16.0", "0.3.0", "10.3"),
        }.items()
        for text in texts
    },
    **{
        f"ROCm {content!r}": Case(rocm=content, version=version, reason=reason)
        for content, version, reason in [
            ("6.4.1-83\n", "6.4", NO_GPU),
            ("5.7.1.50701-98~22.04\n", "5.7", NO_GPU),
            ("7.0", "7.0", NO_GPU),
            ("7.10.0a20251120", "7.10", NO_GPU),
            *((text, "", f"has {text!r}") for text in ("", "6", "6.", ".4", "6.4x")),
        ]
    },
    "a version that is forced": Case(
        environ={ROCM_VARIABLE: " 07.10.0\n", "ROCM_PATH": "/nowhere"},
        version="7.10",
        reason=NO_GPU,
    ),
    **{
        f"{ROCM_VARIABLE}={text}": Case(
            environ={ROCM_VARIABLE: text},
            version="",
            reason=f"{ROCM_VARIABLE} is invalid",
            warned=True,
        )
        for text in ("6.4", "6.4.1.2", "v6.4.1", "6.4.x", "٦.4.1")
    },
    "a GPU that is not in the container": Case(
        [RAPHAEL, RX7900], {VISIBLE[0]: "0"}, gfx="gfx1100", gone="dev/dri/renderD129"
    ),
    "no driver in the container": Case([RX7900], reason=NO_GPU, gone="dev/kfd"),
    "empty variables": Case(
        [MI210], {GFX_VARIABLE: "", ROCM_VARIABLE: " ", OVERRIDE: ""}, gfx="gfx90a"
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_machine_supports(machine: Machine, name: str) -> None:
    case = CASES[name]
    for gpu in case.gpus:
        machine.add_gpu(*([gpu] if isinstance(gpu, int) else gpu))
    if case.gone is not None:
        machine.root.joinpath(case.gone).unlink()
    if case.rocm is not None:
        machine.install_rocm(case.rocm)
    answer = machine.ask(case.environ)
    expected = {"gfx_arch": case.gfx, "rocm_version": case.version}
    assert [(each.name, " ".join(each.values)) for each in answer.features] == [
        (feature, values) for feature, values in expected.items() if values
    ]
    assert case.reason in (answer.reason or "")
    assert bool(answer.reason) == bool(case.reason)
    assert (answer.unusable == UNTOLD) == (case.reason == UNTOLD)
    assert len(answer.warnings) == case.warned
    for variable, text in case.environ.items() if case.warned else ():
        assert answer.warnings[0].startswith(f"{variable} is invalid, so pip ")
        assert repr(text) in answer.warnings[0]


@pytest.mark.parametrize("denied", ["dev/kfd", "dev/dri/renderD129"])
def test_device_that_this_user_may_not_use(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, denied: str
) -> None:
    """The tests may run as root, who may use whatever is there."""

    def is_usable(_root: str, device: str) -> bool:
        return device != f"/{denied}"

    monkeypatch.setattr(amd, "_is_usable", is_usable)
    assert machine.ask().unusable is None
    machine.add_gpu(RX7900)
    machine.install_rocm("6.4.1")
    answer = machine.ask()
    assert architectures(answer) == ()
    assert answer.warnings == ()
    assert answer.unusable == (
        f"this user has no permission to open /{denied}; add the user to the 'render' group, or set "
        f"{GFX_VARIABLE} to name the GPU"
    )


def test_unreadable_or_strange_properties_are_passed_over(machine: Machine) -> None:
    unreadable = machine.add_gpu(RAPHAEL)
    unreadable.unlink()
    unreadable.mkdir()
    machine.add_node("")
    machine.add_node("simd_count\nsimd_count many\nsimd_count -4\n\ufffd 7\n")
    machine.write(f"{TOPOLOGY}/not-a-number/properties", "simd_count 4\n")
    machine.add_gpu(RX7900)
    assert architectures(machine.ask({"ROCR_VISIBLE_DEVICES": "0"})) == ("gfx1100",)


def test_machine_without_driver(tmp_path: Path) -> None:
    answer = amd.detect({}, hardware=True, root=str(tmp_path))
    version = tmp_path / "opt/rocm/.info/version"
    assert answer == ProviderResult(
        reason="no AMD GPU driver found; "
        f"{NO_ROCM} ({version}: No such file or directory)"
    )


def test_place_of_rocm(machine: Machine) -> None:
    machine.install_rocm("6.4.1")
    machine.install_rocm("7.0.2", "opt/rocm-7.0.2")
    folder = str(machine.root / "opt/rocm-7.0.2")
    answer = machine.ask({"ROCM_PATH": folder})
    assert features(answer) == {"rocm_version": ("7.0",)}
    assert answer.origin == f"ROCm in {folder}"
    assert features(machine.ask({"ROCM_PATH": ""})) == {"rocm_version": ("6.4",)}
    answer = machine.ask({"ROCM_PATH": "/nowhere"})
    assert answer.features == ()
    (warning,) = answer.warnings
    assert warning.startswith(f"{NO_ROCM} (/nowhere/.info/version: ")
    assert warning.endswith(f"(got '/nowhere'), or {ROCM_VARIABLE} to the ROCm version")


def test_variables_of_rocm_bootstrap(machine: Machine) -> None:
    machine.add_gpu(MI210)
    machine.install_rocm("6.4.1")
    disabling = "ROCM_BOOTSTRAP_DISABLE_DETECTION"
    own, older = {BOOTSTRAP_VARIABLE: "gfx1250"}, {GFX_VARIABLE: "gfx942"}
    for hardware in (True, False):
        answer = machine.ask({**own, disabling: "1"}, hardware=hardware)
        assert architectures(answer) == ()
        assert (answer.reason or "").startswith(f"{disabling} turns detection off")
        answer = machine.ask({**own, disabling: "0"}, hardware=hardware)
        assert architectures(answer) == ("gfx1250",)
        # The word of the older provider counts first.
        answer = machine.ask({**own, **older, disabling: "1"}, hardware=hardware)
        assert architectures(answer) == ("gfx942",)
    assert architectures(machine.ask({disabling: "0"})) == ("gfx90a",)


def test_only_overrides_count_for_another_machine(machine: Machine) -> None:
    machine.add_gpu(MI210)
    machine.install_rocm("6.4.1")
    place = {"ROCM_PATH": str(machine.root / "opt/rocm")}
    assert machine.ask(place, hardware=False) == ProviderResult(reason=ANOTHER_MACHINE)
    gfx, rocm = {GFX_VARIABLE: "gfx1100"}, {ROCM_VARIABLE: "7.0.0"}
    answer = machine.ask({**place, **gfx}, hardware=False)
    assert features(answer) == {"gfx_arch": ("gfx1100",)}
    assert answer.reason == ANOTHER_MACHINE
    answer = machine.ask({**place, **rocm}, hardware=False)
    assert features(answer) == {"rocm_version": ("7.0",)}
    answer = machine.ask({**gfx, **rocm}, hardware=False)
    assert features(answer) == {"gfx_arch": ("gfx1100",), "rocm_version": ("7.0",)}
    assert answer.reason is None


@pytest.mark.parametrize("environ", [{}, {GFX_VARIABLE: "gfx90a"}])
def test_nothing_is_imported_whatever_this_machine_has(environ: dict[str, str]) -> None:
    assert ask("amd", environ).imported == []
