"""AMD's GPUs and ROCm are read from files, as ROCm itself would see them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pip._vendor.wheel_variants.properties import is_valid_value

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

NO_ROCM = "no version of ROCm was found"
ANOTHER_MACHINE = "another machine is the target: this one is not asked"

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


def test_gpu_and_rocm_in_order_of_preference(machine: Machine) -> None:
    machine.add_gpu(MI210)
    machine.install_rocm("6.4.1-83\n")
    answer = machine.ask()
    assert [(f.name, f.values) for f in answer.features] == [
        ("gfx_arch", ("gfx90a",)),
        ("rocm_version", ("6.4",)),
    ]
    assert answer.origin == f"AMD driver, ROCm in {machine.root / 'opt/rocm'}"
    assert answer.reason is None
    assert answer.warnings == ()


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (110501, "gfx1151"),
        (70001, "gfx701"),
        (80003, "gfx803"),
        (90000, "gfx900"),
        (90006, "gfx906"),
        (90008, "gfx908"),
        (90010, "gfx90a"),
        (90012, "gfx90c"),
        (90402, "gfx942"),
        (90500, "gfx950"),
        (100300, "gfx1030"),
        (RAPHAEL, "gfx1036"),
        (110000, "gfx1100"),
        (110001, "gfx1101"),
        (110002, "gfx1102"),
        (110003, "gfx1103"),
        (110500, "gfx1150"),
        (120000, "gfx1200"),
        (120001, "gfx1201"),
        (120500, "gfx1250"),
        # What comes next.
        (131510, "gfx13fa"),
    ],
)
def test_name_of_an_architecture(machine: Machine, target: int, name: str) -> None:
    machine.add_gpu(target)
    answer = machine.ask()
    assert architectures(answer) == (name,)
    assert answer.reason is not None
    assert answer.reason.startswith(NO_ROCM)


# No GPU is 1.0.16 or 1.16.0, nor does a driver tell it as the others are.
UNTOLD = [0, 4, 5999, 10016, 11600, 18446744073709551615]


@pytest.mark.parametrize("target", UNTOLD)
def test_gpu_that_is_not_told_hides_no_other(machine: Machine, target: int) -> None:
    machine.add_gpu(target)
    machine.add_gpu(RX7900)
    machine.add_gpu(target)
    machine.install_rocm("6.4.1")
    answer = machine.ask()
    assert features(answer) == {"gfx_arch": ("gfx1100",), "rocm_version": ("6.4",)}
    assert answer.reason == answer.unusable
    assert answer.reason == (
        "the AMD driver does not tell the architecture of a GPU: "
        f"{GFX_VARIABLE} can tell what to install for"
    )
    assert answer.warnings == ()


@pytest.mark.parametrize("target", UNTOLD)
def test_no_gpu_is_told(machine: Machine, target: int) -> None:
    machine.add_gpu(target)
    machine.install_rocm("6.4.1")
    answer = machine.ask()
    assert features(answer) == {"rocm_version": ("6.4",)}
    assert answer.reason == (
        "the AMD driver does not tell the architecture of a GPU: "
        f"{GFX_VARIABLE} can tell what to install for"
    )
    assert (answer.unusable, answer.warnings) == (answer.reason, ())


@pytest.mark.parametrize("denied", ["dev/kfd", "dev/dri/renderD129"])
def test_device_that_this_user_may_not_use(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, denied: str
) -> None:
    """The tests may run as root, who may use whatever is there."""

    def is_usable(device: str) -> bool:
        return not device.endswith(denied)

    monkeypatch.setattr(amd, "_is_usable", is_usable)
    assert machine.ask().unusable is None
    machine.add_gpu(RX7900)
    machine.install_rocm("6.4.1")
    answer = machine.ask()
    assert architectures(answer) == ()
    assert answer.warnings == ()
    assert answer.unusable == (
        f"this user may not use /{denied}, for which being in the group render is usually "
        f"enough; {GFX_VARIABLE} can tell what to install for"
    )


def test_larger_gpus_come_first(machine: Machine) -> None:
    # Two compute units in a processor, a card, and a smaller card of the same kind.
    machine.add_gpu(RAPHAEL, size=4)
    machine.add_gpu(RX7900, size=96)
    machine.add_gpu(RX7900, size=192)
    machine.add_gpu(120001, size=128)
    assert architectures(machine.ask()) == ("gfx1100", "gfx1201", "gfx1036")


def test_each_architecture_once_in_alphabetical_order(machine: Machine) -> None:
    for target in (MI210, 110002, MI210, RX7900, 100300):
        machine.add_gpu(target)
    assert architectures(machine.ask()) == ("gfx1030", "gfx1100", "gfx1102", "gfx90a")


def test_unreadable_or_strange_properties_are_passed_over(machine: Machine) -> None:
    unreadable = machine.add_gpu(RAPHAEL)
    unreadable.unlink()
    unreadable.mkdir()
    machine.add_node("")
    machine.add_node("simd_count\nsimd_count many\nsimd_count -4\n\ufffd 7\n")
    machine.write(f"{TOPOLOGY}/not-a-number/properties", "simd_count 4\n")
    machine.add_gpu(RX7900)
    assert architectures(machine.ask({"ROCR_VISIBLE_DEVICES": "0"})) == ("gfx1100",)


def test_gpu_that_was_not_given_to_the_container_is_passed_over(
    machine: Machine,
) -> None:
    machine.add_gpu(RAPHAEL)
    machine.root.joinpath("dev/dri/renderD129").unlink()
    machine.add_gpu(RX7900)
    assert architectures(machine.ask()) == ("gfx1100",)
    assert architectures(machine.ask({"ROCR_VISIBLE_DEVICES": "0"})) == ("gfx1100",)


def test_driver_that_was_not_given_to_the_container(machine: Machine) -> None:
    machine.add_gpu(RX7900)
    machine.root.joinpath("dev/kfd").unlink()
    answer = machine.ask()
    assert answer.features == ()
    assert answer.reason is not None
    assert "/dev/kfd" in answer.reason
    assert answer.warnings == ()


def test_machine_without_gpu(machine: Machine) -> None:
    answer = machine.ask()
    assert answer.features == ()
    assert answer.reason is not None
    assert answer.reason.startswith("the AMD driver shows no GPU that can be used; ")


def test_machine_without_driver(tmp_path: Path) -> None:
    answer = amd.detect({}, hardware=True, root=str(tmp_path))
    version = tmp_path / "opt/rocm/.info/version"
    assert answer == ProviderResult(
        reason="no driver for AMD GPUs was found; "
        f"{NO_ROCM} ({version}: No such file or directory)"
    )


def test_rocm_without_gpu(machine: Machine) -> None:
    machine.install_rocm("7.0.2")
    assert features(machine.ask()) == {"rocm_version": ("7.0",)}


# Which of a gfx1030, gfx1100, gfx1101 and gfx90a a list leaves; three have a UUID.
@pytest.mark.parametrize(
    ("visible", "left"),
    [
        ("0", "gfx1030"),
        ("3,1", "gfx1100 gfx90a"),
        (" 2 , 0", "gfx1030 gfx1101"),
        ("0,9,1", "gfx1030"),
        ("1,-1,2", "gfx1100"),
        ("1,,2", "gfx1100"),
        ("2,2,1", "gfx1101"),
        ("1,one,2", "gfx1100"),
        ("GPU-00000000DEADBEEF", "gfx1100"),
        ("gpu-00000000deadbeef,0", "gfx1030 gfx1100"),
        ("GPU-0000", "gfx1100"),
        ("GPU-ABCD1,0", "gfx1030 gfx1101"),
        ("0,GPU-ABCD,1", "gfx1030"),
        ("0,GPU-,1", "gfx1030"),
        ("0,GPU-5,1", "gfx1030"),
        ("0,GPU-00000000DEADBEEF0,1", "gfx1030"),
    ],
)
@pytest.mark.parametrize(
    "variable", ["ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"]
)
def test_hidden_gpus(machine: Machine, variable: str, visible: str, left: str) -> None:
    machine.add_gpu(100300)
    machine.add_gpu(110000, unique_id=0xDEADBEEF)
    machine.add_gpu(110001, unique_id=0xABCD1 << 44)
    machine.add_gpu(90010, unique_id=0xABCD2 << 44)
    assert architectures(machine.ask({variable: visible})) == tuple(left.split())


@pytest.mark.parametrize("visible", ["-1", "1", "GPU-1", "GPU-", "none", ","])
@pytest.mark.parametrize(
    "variable", ["ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"]
)
def test_every_gpu_hidden(machine: Machine, variable: str, visible: str) -> None:
    machine.add_gpu(RX7900, unique_id=0xDEADBEEF)
    machine.install_rocm("6.4.1")
    answer = machine.ask({variable: visible})
    assert features(answer) == {"rocm_version": ("6.4",)}
    assert answer.reason == f"{variable} hides every AMD GPU: {visible!r}"


def test_empty_list_hides_from_rocm_but_not_from_hip(machine: Machine) -> None:
    machine.add_gpu(RX7900)
    hip = {"HIP_VISIBLE_DEVICES": "", "CUDA_VISIBLE_DEVICES": ""}
    assert architectures(machine.ask(hip)) == ("gfx1100",)
    answer = machine.ask({"ROCR_VISIBLE_DEVICES": ""})
    assert answer.features == ()
    assert answer.reason is not None
    assert answer.reason.startswith("ROCR_VISIBLE_DEVICES hides every AMD GPU: ''")


def test_hip_counts_what_rocm_leaves(machine: Machine) -> None:
    for target in (100300, 110000, 110001):
        machine.add_gpu(target)
    visible = {"ROCR_VISIBLE_DEVICES": "2,1", "HIP_VISIBLE_DEVICES": "0"}
    assert architectures(machine.ask(visible)) == ("gfx1101",)
    visible = {"HIP_VISIBLE_DEVICES": "1", "CUDA_VISIBLE_DEVICES": "2"}
    assert architectures(machine.ask(visible)) == ("gfx1100",)


def test_gpus_are_counted_by_number_of_node(machine: Machine) -> None:
    for target in [100300] * 9 + [110000]:
        machine.add_gpu(target)
    assert architectures(machine.ask({"ROCR_VISIBLE_DEVICES": "9"})) == ("gfx1100",)


def test_hidden_gpu_need_not_be_known(machine: Machine) -> None:
    machine.add_gpu(RX7900)
    machine.add_gpu(0)
    answer = machine.ask({"ROCR_VISIBLE_DEVICES": "0", ROCM_VARIABLE: "7.0.0"})
    assert architectures(answer) == ("gfx1100",)
    assert answer.reason is None


def test_runtime_that_takes_gpus_for_others(machine: Machine) -> None:
    machine.add_gpu(RAPHAEL)
    machine.add_gpu(RX7900)
    override = {"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}
    assert architectures(machine.ask(override)) == ("gfx1030",)
    assert architectures(machine.ask({"HSA_OVERRIDE_GFX_VERSION": "9.0.10"})) == (
        "gfx90a",
    )
    assert machine.ask(override, hardware=False).features == ()
    override = {"HSA_OVERRIDE_GFX_VERSION": "11.5.1"}
    assert architectures(machine.ask(override)) == ("gfx1151",)


@pytest.mark.parametrize("text", ["gfx1030", "10.16.0", "0.3.0", "10.3"])
def test_invalid_override_of_the_runtime(machine: Machine, text: str) -> None:
    machine.add_gpu(RX7900)
    answer = machine.ask({"HSA_OVERRIDE_GFX_VERSION": text})
    assert answer.features == ()
    (warning,) = answer.warnings
    assert warning.startswith("HSA_OVERRIDE_GFX_VERSION is ignored")
    assert repr(text) in warning


@pytest.mark.parametrize(
    ("content", "version"),
    [
        ("6.4.1", "6.4"),
        ("6.4.1-83\n", "6.4"),
        ("5.7.1.50701-98~22.04\n", "5.7"),
        ("7.0", "7.0"),
        ("7.10.0a20251120", "7.10"),
        (" 6.3.0\n\n", "6.3"),
    ],
)
def test_version_of_rocm(machine: Machine, content: str, version: str) -> None:
    machine.install_rocm(content)
    assert features(machine.ask()) == {"rocm_version": (version,)}


@pytest.mark.parametrize("content", ["", "six", "6", "6.", ".4", "6.4x", "6.40000"])
def test_file_without_version_of_rocm(machine: Machine, content: str) -> None:
    machine.install_rocm(content)
    answer = machine.ask()
    assert answer.features == ()
    assert answer.reason is not None
    assert f".info/version has {content!r}" in answer.reason
    assert answer.warnings == ()


def test_place_of_rocm(machine: Machine) -> None:
    machine.install_rocm("6.4.1")
    machine.install_rocm("7.0.2", "opt/rocm-7.0.2")
    folder = str(machine.root / "opt/rocm-7.0.2")
    answer = machine.ask({"ROCM_PATH": folder})
    assert features(answer) == {"rocm_version": ("7.0",)}
    assert answer.origin == f"ROCm in {folder}"
    assert features(machine.ask({"ROCM_PATH": ""})) == {"rocm_version": ("6.4",)}


def test_wrong_place_of_rocm(machine: Machine) -> None:
    machine.install_rocm("6.4.1")
    folder = str(machine.root / "opt")
    answer = machine.ask({"ROCM_PATH": folder})
    assert answer.features == ()
    (warning,) = answer.warnings
    assert warning.startswith(f"{NO_ROCM} ({folder}/.info/version: ")
    assert warning.endswith(f"{ROCM_VARIABLE} the version; got {folder!r}")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gfx1100", "gfx1100"),
        ("gfx90a,gfx1100", "gfx90a gfx1100"),
        (" gfx90a; gfx1100\tgfx942,, ", "gfx90a gfx1100 gfx942"),
        ("GFX90A gfx90a", "gfx90a"),
        ("gfx1036", "gfx1036"),
        # They share their packages, says rocm-bootstrap.
        ("gfx1250-strict", "gfx1250"),
        ("gfx1250,gfx1250-strict", "gfx1250"),
    ],
)
@pytest.mark.parametrize("variable", [GFX_VARIABLE, BOOTSTRAP_VARIABLE])
def test_forced_architectures(
    machine: Machine, variable: str, text: str, names: str
) -> None:
    machine.add_gpu(MI210)
    machine.install_rocm("6.4.1")
    answer = machine.ask({variable: text, "ROCR_VISIBLE_DEVICES": ""})
    assert features(answer) == {
        "gfx_arch": tuple(names.split()),
        "rocm_version": ("6.4",),
    }
    assert answer.origin.startswith(f"{variable}, ")


@pytest.mark.parametrize(
    "text", [",", "mi300", "gfx", "gfx90a:xnack-", "gfx90a,amd", "gfx9-generic"]
)
@pytest.mark.parametrize("variable", [GFX_VARIABLE, BOOTSTRAP_VARIABLE])
def test_invalid_forced_architectures(
    machine: Machine, variable: str, text: str
) -> None:
    machine.add_gpu(MI210)
    machine.install_rocm("6.4.1")
    answer = machine.ask({variable: text})
    assert features(answer) == {"rocm_version": ("6.4",)}
    assert answer.reason == f"{variable} is invalid"
    (warning,) = answer.warnings
    assert warning.startswith(f"{variable} is ignored")
    assert repr(text) in warning


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


@pytest.mark.parametrize(
    ("text", "version"), [("6.4.1", "6.4"), (" 7.10.0\n", "7.10"), ("06.3.0", "6.3")]
)
def test_forced_version_of_rocm(machine: Machine, text: str, version: str) -> None:
    machine.add_gpu(MI210)
    machine.install_rocm("5.7.1")
    answer = machine.ask({ROCM_VARIABLE: text, "ROCM_PATH": "/nowhere"})
    assert features(answer) == {"gfx_arch": ("gfx90a",), "rocm_version": (version,)}
    assert answer.origin == f"AMD driver, {ROCM_VARIABLE}"
    assert answer.warnings == ()


@pytest.mark.parametrize("text", ["6.4", "6", "6.4.1.2", "v6.4.1", "6.4.x", "٦.4.1"])
def test_invalid_forced_version_of_rocm(machine: Machine, text: str) -> None:
    machine.add_gpu(MI210)
    machine.install_rocm("6.4.1")
    answer = machine.ask({ROCM_VARIABLE: text})
    assert features(answer) == {"gfx_arch": ("gfx90a",)}
    assert answer.reason == f"{ROCM_VARIABLE} is invalid"
    (warning,) = answer.warnings
    assert repr(text) in warning


@pytest.mark.parametrize("empty", ["", " "])
def test_empty_variables_are_as_good_as_unset(machine: Machine, empty: str) -> None:
    machine.add_gpu(MI210)
    machine.install_rocm("6.4.1")
    variables = (GFX_VARIABLE, ROCM_VARIABLE, "HSA_OVERRIDE_GFX_VERSION")
    assert machine.ask(dict.fromkeys(variables, empty)) == machine.ask()


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


variables = st.sampled_from(
    [
        *(GFX_VARIABLE, BOOTSTRAP_VARIABLE, ROCM_VARIABLE, "HSA_OVERRIDE_GFX_VERSION"),
        *("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"),
    ]
)


@given(
    properties=st.binary(),
    target=st.integers(0, 2**64),
    version=st.binary(),
    environ=st.dictionaries(variables, st.text()),
)
@settings(max_examples=50)
def test_whatever_there_is_makes_valid_values(
    properties: bytes, target: int, version: bytes, environ: dict[str, str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        machine.add_gpu(target)
        machine.add_gpu(RX7900).write_bytes(properties)
        machine.install_rocm("")
        machine.root.joinpath("opt/rocm/.info/version").write_bytes(version)
        answer = machine.ask(environ)
    values = [value for feature in answer.features for value in feature.values]
    assert all(map(is_valid_value, values))
    assert len(answer.features) == 2 or answer.reason
