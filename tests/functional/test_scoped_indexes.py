"""Indexes for certain projects: these come from there and from nowhere else.

And nothing else comes from such an index, whatever it says.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import NamedTuple

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import Fault, IndexServer
from tests.lib.manifests import PluginSpec, cuda, make_manifest
from tests.lib.pytorch_index import PyTorchIndexServer
from tests.lib.repository import JSON_TYPE
from tests.lib.wheels import make_sdist, make_wheel

pytestmark = pytest.mark.scoped

Pip = Callable[..., Result]
GPU = forced("12.8")
DRY = ["install", "--dry-run"]
#: Both ways in which pip installs what a build needs.
BUILDS = pytest.mark.parametrize(
    "feature", [[], ["--use-feature=inprocess-build-deps"]]
)


@pytest.fixture
def usual(make_index: Callable[[], IndexServer]) -> IndexServer:
    """Return an index with everything, some of it newer than elsewhere."""
    index = make_index()
    # Most packages require a Python.
    python = ">=3.8"
    index.add(make_wheel("app", "1.0", requires=["torch"], requires_python=python))
    index.add(make_wheel("sympy", "1.14.0", requires_python=python))
    index.add(make_wheel("torch", "2.15.0"))
    return index


@pytest.fixture
def own(make_index: Callable[[], IndexServer]) -> IndexServer:
    """Return a publisher's index: variants of torch, and what is not for it to supply."""
    index = make_index()
    variants = {"cu128": cuda("12.8"), "null": {}}
    index.add_release("torch", "2.10.0", variants, requires=["sympy"])
    index.add(make_wheel("torch", "2.9.0"))
    index.add(make_wheel("sympy", "99.0"))
    index.add(make_wheel("app", "99.0"))
    return index


def named(own: IndexServer | str, projects: str = "torch") -> list[str]:
    """Return the option that names an index for some projects."""
    url = own if isinstance(own, str) else own.index_url
    return ["--variant-index", f"{projects}={url}"]


class Two(NamedTuple):
    """Both indexes, and the options that name them."""

    usual: IndexServer
    own: IndexServer
    options: list[str]


@pytest.fixture
def two(usual: IndexServer, own: IndexServer) -> Two:
    return Two(usual, own, [*usually(usual), *named(own)])


def usually(usual: IndexServer) -> list[str]:
    """Return the option for all other projects."""
    return ["-i", usual.index_url]


def pages(index: IndexServer) -> list[str]:
    """Return the projects whose pages were asked for, in order."""
    found = [path for _, path in index.log() if path.startswith("/simple/")]
    return [path.split("/")[2] for path in found]


def would_install(result: Result) -> dict[str, str]:
    """Return the versions of what a dry run would install."""
    (line,) = (each for each in result.lines if each.startswith("Would install "))
    found = line.removeprefix("Would install ").replace(" (", "(").split()
    return dict(each.rsplit("-", 1) for each in found)


@pytest.mark.on_wheel
def test_each_project_comes_from_its_place(venv: Environment, two: Two) -> None:
    given = [*usually(two.usual), *named(two.own, "Torch,torchvision")]
    result = venv.pip("install", "app", *given, env=GPU)
    assert result.stderr == ""
    assert venv.installed() == {"app": "1.0", "sympy": "1.14.0", "torch": "2.10.0"}
    assert "Using torch 2.10.0, variant cu128" in result.stdout
    assert (
        f"Looking for 'torch' only on {two.own.url}/simple (--variant-index)"
        in result.lines
    )
    assert pages(two.own) == ["torch"]
    assert pages(two.usual) == ["app", "sympy"]
    two.own.clear_log()
    command = [*DRY, "app", "-I", *two.options, "--no-variants"]
    assert would_install(venv.pip(*command, env=GPU))["torch"] == "2.10.0"
    assert pages(two.own) == ["torch"]


class TestNothingElse:
    """Such an index supplies no other name, whatever it and its files say."""

    def test_dependencies_and_other_pages(self, pip: Pip, two: Two) -> None:
        two.own.add(make_wheel("torch", "2.11.0", requires=["only-there"]))
        two.own.add(make_wheel("only-there", "1.0"))
        result = pip(*DRY, "torch==2.11.0", *two.options, env=GPU, code=1)
        assert "No matching distribution found for only-there" in result.stderr
        assert pages(two.own) == ["torch"]

    def test_a_dependency_with_a_url(self, pip: Pip, two: Two) -> None:
        evil = two.own.file_url("sympy-99.0-py3-none-any.whl")
        two.own.add(make_wheel("torch", "2.11.0", requires=[f"sympy @ {evil}"]))
        command = [*DRY, "app", *two.options]
        result = pip(*command, env=GPU, code=1)
        assert f"× torch requires sympy from {evil}." in result.stderr
        assert (
            f"'torch' comes from {two.own.url}/simple (--variant-index). That index must not supply "
            "any other project." in result.stderr
        )
        assert not any("sympy" in path for _, path in two.own.log())
        # In an extra, it counts if that is asked for.
        two.own.add(make_wheel("torch", "2.12.0", extras={"more": [f"sympy @ {evil}"]}))
        assert would_install(pip(*command, env=GPU))["torch"] == "2.12.0"
        result = pip(*command, "torch[more]", env=GPU, code=1)
        assert "× torch requires sympy" in result.stderr

    def test_a_page_of_other_projects(self, pip: Pip, two: Two) -> None:
        """It lists files of another project, and is what another page leads to."""
        other = make_wheel("torch", "98.0", filename="sympy-98.0-py3-none-any.whl")
        two.own.add(other)
        two.own.redirect_pages = True
        two.own.projects["torch"] += two.own.projects["sympy"] + two.own.projects["app"]
        for two.own.page_format in ("html", "json"):
            found = would_install(pip(*DRY, "app", *two.options, env=GPU))
            assert found == {"app": "1.0", "sympy": "1.14.0", "torch": "2.10.0(cu128)"}

    def test_a_wheel_of_another_name(self, pip: Pip, two: Two) -> None:
        named_torch = "torch-2.13.0-py3-none-any.whl"
        two.own.add(make_wheel("sympy", "2.13.0", filename=named_torch))
        two.own.projects["torch"].append(two.own.projects["sympy"].pop())
        result = pip(*DRY, "torch==2.13", *two.options, code=1)
        assert "No matching distribution found for torch==2.13" in result.stderr
        # Nor does a redirect to a page help.
        target = {"Location": f"{two.own.url}/simple/sympy/"}
        two.own.faults["/simple/torch/"] = Fault(status=302, headers=target)
        result = pip(*DRY, "torch", *two.options, code=1)
        assert "from versions: none" in result.stderr
        assert pages(two.usual) == []


class TestNowhereElse:
    """What such an index is named for comes from no other place."""

    @pytest.mark.parametrize(
        ("fault", "said"),
        [
            (Fault(status=404), "404 Client Error: Not Found for url: "),
            (Fault(status=503), "╰─> Too many 503 error responses."),
            (
                Fault(headers={"Content-Type": "text/plain"}),
                "The content type text/plain is not that of an index page",
            ),
            (
                Fault(body=b"{", headers={"Content-Type": JSON_TYPE}),
                "Its page cannot be read (JSONDecodeError: ",
            ),
            (
                Fault(body=b"[" * 200_000, headers={"Content-Type": JSON_TYPE}),
                "Its page cannot be read (RecursionError: ",
            ),
        ],
    )
    def test_an_index_that_fails(
        self, pip: Pip, two: Two, fault: Fault, said: str
    ) -> None:
        two.own.faults["/simple/torch/"] = fault
        result = pip(*DRY, "app", *two.options, "--retries", "0", code=1)
        only = f"× Cannot find 'torch' on {two.own.url}/simple, its only index (--var"
        elsewhere = f"pip install app --variant-index torch={two.usual.url}/simple"
        for expected in (only, said, elsewhere):
            assert expected in result.stderr
        assert pages(two.usual) == ["app"]

    def test_a_password_in_what_went_wrong(self, pip: Pip, own: IndexServer) -> None:
        reason = "ask http://user:hunter2@a.example/"
        own.faults["/simple/torch/"] = Fault(status=403, reason=reason)
        url = own.index_url.replace("//", "//user:hunter2@")
        result = pip(*DRY, "torch", *named(url), "--retries", "0", code=1)
        assert "403 Client Error: ask http://****@a.example/ for url: " in result.stderr
        assert "hunter2" not in result.output

    def test_no_version_there(self, pip: Pip, two: Two) -> None:
        result = pip(*DRY, "torch==2.15", *two.options, code=1)
        assert (
            f"'torch' can come only from {two.own.url}/simple (--variant-index). To "
            "use another index: pip install torch==2.15 --variant-index "
            "torch=URL" in result.stderr
        )
        assert "from versions: 2.9.0, 2.10.0)" in result.stderr
        assert pages(two.usual) == []

    def test_a_url_that_another_package_names(self, pip: Pip, two: Two) -> None:
        evil = two.usual.file_url("torch-2.15.0-py3-none-any.whl")
        two.usual.add(make_wheel("app", "2.0", requires=[f"torch @ {evil}"]))
        command = [*DRY, "app", *usually(two.usual)]
        assert would_install(pip(*command))["torch"] == "2.15.0"
        result = pip(*command, *named(two.own), code=1)
        assert f"× app requires torch from {evil}." in result.stderr
        assert f"pip takes 'torch' only from {two.own.url}/simple (" in result.stderr
        # What the user types is another thing.
        result = pip(*DRY, f"torch @ {evil}", *two.options)
        assert would_install(result) == {"torch": "2.15.0"}

    def test_a_url_to_build_with(self, venv: Environment, two: Two) -> None:
        evil = two.usual.file_url("torch-2.15.0-py3-none-any.whl")
        two.usual.add(make_sdist("built", "1.0", build_requires=[f"torch @ {evil}"]))
        two.own.add(make_sdist("torch", "2.16.0", build_requires=[f"sympy @ {evil}"]))
        for name, said in (
            ("built", f"built requires torch from {evil}."),
            ("torch", f"torch requires sympy from {evil}."),
        ):
            command = "download", "--no-deps", name, *two.options
            result = venv.pip(*command, code=1)
            assert f"× {said}" in result.stderr
            assert "To avoid the build, use --only-binary." in result.stderr

    def test_a_requirements_file(self, venv: Environment, two: Two) -> None:
        """It changes nothing: neither the index, nor by its own folders."""
        file = venv.work / "requirements.txt"
        file.write_text(f"{' '.join(named(two.usual))}\ntorch\n")
        result = venv.pip(*DRY, "-r", file.name, *named(two.own), code=1)
        assert "no such option: --variant-index" in result.stderr
        elsewhere = f"--find-links {two.usual.find_links_url}"
        for line in (
            f"-i {two.usual.index_url}",
            f"--extra-index-url {two.usual.index_url}\n{elsewhere}",
        ):
            file.write_text(f"{line}\ntorch\n")
            command = [*DRY, "-r", file.name, *two.options]
            found = would_install(venv.pip(*command, env=GPU))
            assert found["torch"] == "2.10.0(cu128)"
        file.write_text(f"--no-index\n{elsewhere}\ntorch\n")
        result = venv.pip(*command, code=1)
        assert "--no-index in a requirements file turns off the ind" in result.stdout
        assert "ERROR: --no-index also turns off the index of 'torch'" in result.stderr
        assert "To use another index" not in result.stderr
        # What the user names is one more place.
        command += ["--find-links", two.usual.find_links_url]
        assert would_install(venv.pip(*command)) == {"torch": "2.15.0"}


def test_without_indexes(pip: Pip, two: Two) -> None:
    """With --no-index there is none, as with --index-url."""
    folder = ["--no-index", "--find-links", two.usual.find_links_url]
    result = pip(*DRY, "app", *folder, *named(two.own))
    assert would_install(result) == {"app": "1.0", "torch": "2.15.0"}
    result = pip(*DRY, "app", "torch==9", *folder, *named(two.own), code=1)
    assert (
        "--no-index also turns off the index of 'torch' (--variant-index): pip searched "
        "only --find-links" in result.stderr
    )
    assert two.own.log() == []


NEITHER = "neither the URL of an index nor an existing folder in"


class TestPlaces:
    """Where it is written: on the command line, in the environment, in configuration."""

    def test_places_add_up(
        self, venv: Environment, two: Two, make_index: Callable[[], IndexServer]
    ) -> None:
        """No place drops the projects of another; the more specific one wins."""
        third = make_index()
        for project in ("app", "sympy", "torch"):
            third.add(make_wheel(project, "3.0"))
        file = venv.work / "pip.ini"

        def found(weak: str, strong: str, variable: str, *typed: str) -> dict[str, str]:
            file.write_text(
                f"[global]\nvariant-index = {weak}\n[install]\nvariant-index = {strong}\n"
            )
            env = {
                **GPU,
                "PIP_CONFIG_FILE": str(file),
                "PIP_CONSTRAINT": os.devnull,
                "PIP_VARIANT_INDEX": variable,
            }
            command = [*DRY, "app", *usually(two.usual), *typed]
            return would_install(venv.pip(*command, env=env))

        torch, sympy, app = (
            named(index, project)[1]
            for index, project in ((two.own, "torch"), (third, "sympy"), (third, "app"))
        )
        expected = {"app": "1.0", "sympy": "3.0", "torch": "2.10.0(cu128)"}
        assert found(torch, sympy, "") == expected
        assert found("", torch, f"{sympy}\n{torch}") == expected
        assert found(torch, sympy, app) == {"app": "3.0"}
        elsewhere = named(third, "torch")[1]
        assert found(torch, elsewhere, "")["torch"] == "3.0"
        assert found(elsewhere, sympy, torch)["torch"] == "2.10.0(cu128)"
        assert found(elsewhere, sympy, elsewhere, *named(two.own)) == expected

    def test_a_folder(self, venv: Environment, usual: IndexServer) -> None:
        page = venv.work / "simple" / "torch"
        page.mkdir(parents=True)
        wheel = make_wheel("torch", "2.8.0")
        wheel.write_to(page)
        (page / "index.html").write_text(f"<a href='{wheel.filename}'>x</a>")
        for place in ("simple", (venv.work / "simple").as_uri()):
            result = venv.pip(*DRY, "app", *usually(usual), *named(place))
            assert would_install(result) == {"app": "1.0", "torch": "2.8.0"}
        both = named("simple", "torch,sympy")
        result = venv.pip(*DRY, "torch", "sympy", *both, code=1)
        missing = venv.work / "simple" / "sympy" / "index.html"
        assert f"The file {missing} does not exist" in result.stderr

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            ("torch", "no '=' in 'torch', expected PROJECT[,PROJECT...]=URL without"),
            (
                "*=http://127.0.0.1:9/",
                "invalid project name (patterns are not allowed)",
            ),
            ("torch=", f"{NEITHER} 'torch='"),
            (
                "torch=http://u:secret@one.example/,sympy=http://u:secret@two.example/",
                f"{NEITHER} 'torch=http://****@two.example/'",
            ),
        ],
    )
    def test_a_bad_value(self, pip: Pip, value: str, said: str) -> None:
        result = pip("install", "torch", "--variant-index", value, code=2)
        assert f"option --variant-index: {said}" in result.stderr
        assert "secret" not in result.output

    def test_two_for_a_project(self, pip: Pip, two: Two) -> None:
        result = pip(
            *DRY, "torch", *named(two.usual), *named(two.own, "sympy,TORCH"), code=1
        )
        assert (
            f"× --variant-index torch={two.usual.url}/simple contradicts --variant-index "
            f"torch={two.own.url}/simple." in result.stderr
        )
        assert two.usual.log() == two.own.log() == []

    def test_one_for_nothing(self, pip: Pip, two: Two) -> None:
        result = pip(*DRY, "torch", *usually(two.usual), *named(two.own, "tocrh"))
        assert result.stderr == (
            f"WARNING: pip did not use --variant-index tocrh={two.own.url}/simple, because "
            "nothing requires tocrh\n"
        )

    @BUILDS
    def test_one_for_what_builds(self, pip: Pip, two: Two, feature: list[str]) -> None:
        """Nobody says that nothing needs it: all that a build needs is known there."""
        two.usual.add(make_sdist("extension", "1.0", build_requires=["app"]))
        two.usual.add(make_sdist("other", "1.0", build_requires=["sympy"]))
        command = [*DRY, "-v", "extension", "other", *two.options]
        result = pip(*command, *feature, env=GPU)
        assert pages(two.own) == ["torch"]
        assert "did not use" not in result.output


class TestCredentials:
    """They are found as for other indexes, and shown nowhere."""

    @pytest.fixture
    def closed(self, own: IndexServer) -> IndexServer:
        """Return an index that asks for a password."""
        own.auth = ("user", "hunter2")
        return own

    def test_in_the_url(
        self, venv: Environment, usual: IndexServer, closed: IndexServer
    ) -> None:
        given = [*usually(usual), *named(closed.index_url_with_auth)]
        report = ["--report", "report.json"]
        results = [venv.pip("install", "app", *given, "-vv", *report, env=GPU)]
        assert venv.installed()["torch"] == "2.10.0"
        results.append(venv.pip("lock", "app", *given, env=GPU))
        results.append(venv.pip(*DRY, "torch==3", *given, code=1))
        files = [venv.work / name for name in ("report.json", "pylock.toml")]
        shown = [each.output for each in results]
        shown += [each.read_text("utf-8") for each in files]
        assert not any("hunter2" in text for text in shown)
        assert not any("authorization" in each.headers for each in usual.requests)

    @pytest.mark.skipif(os.name == "nt", reason="a script stands for the keyring")
    def test_in_a_keyring(
        self, venv: Environment, usual: IndexServer, closed: IndexServer
    ) -> None:
        """It is asked by the URL of the index; a file alone does not tell that."""
        script = venv.work / "keyring"
        script.write_text(
            "#!/bin/sh\n"
            f'case "$*" in *"get {closed.url}/simple"*) '
            """echo '{"username": "user", "password": "hunter2"}' ;; esac\n"""
        )
        script.chmod(0o755)
        env = {**GPU, "PATH": f"{venv.work}{os.pathsep}{os.environ['PATH']}"}
        keyring = ["--keyring-provider", "subprocess"]
        given = [*usually(usual), *named(closed), *keyring]
        venv.pip("lock", "app", *given, env=env)
        result = venv.pip(*DRY, "-r", "pylock.toml", *given, env=env)
        assert would_install(result)["torch"] == "2.10.0(cu128)"

    @BUILDS
    def test_in_builds(
        self,
        venv: Environment,
        usual: IndexServer,
        closed: IndexServer,
        feature: list[str],
    ) -> None:
        """What was typed reaches what needs it, and no backend, however deep."""
        seen = venv.work / "seen.txt"
        code = (
            "import os\n"
            f"with open({str(seen)!r}, 'a') as file:\n"
            "    print(os.environ['PIP_VARIANT_INDEX'], file=file)\n"
            "assert 'hunter2' not in str(os.environ)"
        )
        usual.add(make_sdist("inner", "1.0", build_requires=["torch"], code=code))
        usual.add(make_sdist("outer", "1.0", build_requires=["inner"], code=code))
        file = venv.work / "requirements.txt"
        file.write_text(f"--find-links {usual.find_links_url}\nouter\n")
        given = [*usually(usual), *named(closed.index_url_with_auth), *feature]
        env = {**GPU, "PIP_VARIANT_INDEX": "mine=http://127.0.0.1:9"}
        venv.pip("download", "--no-deps", "-r", file.name, *given, env=env)
        assert pages(closed) == ["torch"]
        torches = {path for _, path in closed.log() if path.endswith(".whl")}
        assert torches == {"/files/torch-2.10.0-py3-none-any-cu128.whl"}
        assert not any("torch-" in path for _, path in usual.log())
        # What the user has set is there as it is.
        assert set(seen.read_text().split()) == {env["PIP_VARIANT_INDEX"]}

    def test_none(self, pip: Pip, usual: IndexServer, closed: IndexServer) -> None:
        given = [*usually(usual), *named(closed), "--no-input"]
        result = pip(*DRY, "torch", *given, code=1)
        assert "401 Client Error: Unauthorized" in result.stderr
        assert "If the index requires a password, add the password to" in result.stderr
        assert pages(usual) == []


class TestOtherCommands:
    """All that choose among builds keep to it."""

    def test_listings(self, venv: Environment, two: Two) -> None:
        given = two.options
        result = venv.pip("index", "versions", "torch", *given, env=GPU)
        assert result.stdout == ("torch (2.10.0)\nAvailable versions: 2.10.0, 2.9.0\n")
        result = venv.pip("variants", "list", "torch", *given, env=GPU)
        assert "torch 2.10.0 on " in result.stdout
        result = venv.pip("variants", "explain", "torch", *given, env=GPU)
        assert "torch-2.10.0-py3-none-any-cu128.whl would be installed." in result.lines
        venv.pip("install", "torch==2.9.0", "sympy==1.14.0", *given)
        result = venv.pip("list", "--outdated", "--format", "json", *given, env=GPU)
        (outdated,) = json.loads(result.stdout)
        assert outdated["latest_version"] == "2.10.0"
        assert pages(two.usual).count("torch") == 0

    def test_plugins(self, venv: Environment, two: Two) -> None:
        """A plugin comes from an index that is for it, and from no other of the kind."""
        plugin = "npu-variant-provider"
        manifest = make_manifest(
            {"npu": ["npu :: kind :: b1"]},
            providers={"npu": PluginSpec([plugin], "npu_plugin")},
        )
        two.own.add_release("kernels", "1.0", {}, manifest=manifest)
        code = (
            "class Feature:\n    multi_value = False\n    name, values = 'kind', ['b1']\n"
            "def get_supported_configs():\n    return [Feature()]\n"
        )
        for index in (two.usual, two.own):
            index.add(make_wheel(plugin, "1.0", files={"npu_plugin.py": code}))
        trust = ["--trust-variant-provider", plugin, "--no-cache-dir"]
        command = [*DRY, "kernels", *usually(two.usual), *trust]
        for given, asked, other in (
            ("kernels", two.usual, two.own),
            (f"kernels,{plugin}", two.own, two.usual),
        ):
            two.usual.clear_log()
            two.own.clear_log()
            result = venv.pip(*command, *named(two.own, given))
            assert "Using kernels 1.0, variant npu" in result.stdout
            assert plugin in pages(asked)
            assert plugin not in pages(other)


@pytest.mark.pytorch
def test_beside_the_bridge(pip: Pip, own: IndexServer) -> None:
    """Named projects come from there; the bridge chooses the rest."""
    with PyTorchIndexServer() as index:
        index.add_builds("torch", "2.14.0", ["cpu", "cu128"])
        index.add_builds("torchaudio", "2.14.0", ["cpu", "cu128"])
        index.add(make_wheel("sympy", "1.14.0"))
        bridge = ["--pytorch-index-url", index.pytorch_url, "-i", index.index_url]
        result = pip(*DRY, "torch", "torchaudio", *bridge, *named(own), env=GPU)
    found = would_install(result)
    assert found["torch"] == "2.10.0(cu128)"
    assert found["torchaudio"] == "2.14.0+cu128"
    assert not any("/torch-2" in path for _, path in index.log())
