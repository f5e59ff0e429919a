"""Indexes for certain projects: these come from there and from nowhere else.

And nothing else comes from such an index, whatever it says.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import Fault, IndexServer
from tests.lib.manifests import Provider, cuda, make_manifest
from tests.lib.pytorch_index import PyTorchIndexServer
from tests.lib.wheels import make_sdist, make_wheel

pytestmark = pytest.mark.scoped

Pip = Callable[..., Result]
GPU = forced("12.8")
DRY = ["install", "--dry-run"]


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
def test_each_project_comes_from_its_place(
    venv: Environment, usual: IndexServer, own: IndexServer
) -> None:
    result = venv.pip(
        "install", "app", *usually(usual), *named(own, "Torch,torchvision"), env=GPU
    )
    assert result.stderr == ""
    assert venv.installed() == {"app": "1.0", "sympy": "1.14.0", "torch": "2.10.0"}
    assert "Using the variant cu128 of torch 2.10.0" in result.stdout
    assert (
        f"Looking in {own.url}/simple for torch, torchvision, and for nothing else"
        in result.lines
    )
    assert pages(own) == ["torch"]
    assert pages(usual) == ["app", "sympy"]


class TestNothingElse:
    """Such an index supplies no other name, whatever it and its files say."""

    def test_dependencies_and_other_pages(
        self, pip: Pip, usual: IndexServer, own: IndexServer
    ) -> None:
        own.add(make_wheel("torch", "2.11.0", requires=["only-there"]))
        own.add(make_wheel("only-there", "1.0"))
        command = [*DRY, "torch==2.11.0", *usually(usual), *named(own)]
        result = pip(*command, env=GPU, code=1)
        assert "No matching distribution found for only-there" in result.stderr
        assert pages(own) == ["torch"]

    def test_a_dependency_with_a_url(
        self, pip: Pip, usual: IndexServer, own: IndexServer
    ) -> None:
        evil = own.file_url("sympy-99.0-py3-none-any.whl")
        own.add(make_wheel("torch", "2.11.0", requires=[f"sympy @ {evil}"]))
        command = [*DRY, "app", *usually(usual), *named(own)]
        result = pip(*command, env=GPU, code=1)
        assert f"× torch 2.11.0 depends on sympy at {evil}." in result.stderr
        assert (
            f"torch 2.11.0 comes from {own.url}/simple, which --variant-index names for "
            "certain projects. It must not supply any other." in result.stderr
        )
        assert not any("sympy" in path for _, path in own.log())
        # In an extra, it counts if that is asked for.
        own.add(make_wheel("torch", "2.12.0", extras={"more": [f"sympy @ {evil}"]}))
        assert would_install(pip(*command, env=GPU))["torch"] == "2.12.0"
        result = pip(*command, "torch[more]", env=GPU, code=1)
        assert "× torch[more] depends on sympy" in result.stderr

    @pytest.mark.parametrize("page_format", ["html", "json"])
    def test_a_page_of_other_projects(
        self, pip: Pip, usual: IndexServer, own: IndexServer, page_format: str
    ) -> None:
        """It lists files of another project, and is what another page leads to."""
        other = make_wheel("torch", "98.0", filename="sympy-98.0-py3-none-any.whl")
        own.add(other)
        own.page_format = "html" if page_format == "html" else "json"
        own.redirect_pages = True
        own.projects["torch"] += own.projects["sympy"] + own.projects["app"]
        command = [*DRY, "app", *usually(usual), *named(own)]
        found = would_install(pip(*command, env=GPU))
        assert found == {"app": "1.0", "sympy": "1.14.0", "torch": "2.10.0(cu128)"}

    def test_a_wheel_of_another_name(
        self, pip: Pip, usual: IndexServer, own: IndexServer
    ) -> None:
        named_torch = "torch-2.13.0-py3-none-any.whl"
        own.add(make_wheel("sympy", "2.13.0", filename=named_torch))
        own.projects["torch"].append(own.projects["sympy"].pop())
        result = pip(*DRY, "torch==2.13", *usually(usual), *named(own), code=1)
        assert "No matching distribution found for torch==2.13" in result.stderr

    def test_a_redirect_of_all_pages(
        self, pip: Pip, usual: IndexServer, own: IndexServer
    ) -> None:
        target = {"Location": f"{own.url}/simple/sympy/"}
        own.faults["/simple/torch/"] = Fault(status=302, headers=target)
        result = pip(*DRY, "torch", *usually(usual), *named(own), code=1)
        assert "from versions: none" in result.stderr
        assert pages(usual) == []


class TestNowhereElse:
    """What such an index is named for comes from no other place."""

    @pytest.mark.parametrize(
        ("fault", "said"),
        [
            (Fault(status=404), "404 Client Error: Not Found for url: "),
            (Fault(status=503), "╰─> The server answered 503."),
            (Fault(status=403), "403 Client Error: Forbidden for url: "),
            (Fault(headers={"Content-Type": "text/plain"}), "It is no index page"),
            (
                Fault(status=302, headers={"Location": "file:///etc/hosts"}),
                "Its server does not say that it is an index page",
            ),
            (
                Fault(
                    body=b"{",
                    headers={"Content-Type": "application/vnd.pypi.simple.v1+json"},
                ),
                "Its page cannot be read (JSONDecodeError: ",
            ),
            (
                Fault(status=302, headers={"Location": "http://[bad/"}),
                "cannot be used: Invalid IPv6 URL",
            ),
            (
                Fault(status=302, headers={"Location": "/simple/torch/"}),
                "Exceeded 30 redirects",
            ),
        ],
    )
    def test_an_index_that_fails(
        self, pip: Pip, usual: IndexServer, own: IndexServer, fault: Fault, said: str
    ) -> None:
        own.faults["/simple/torch/"] = fault
        command = ["app", *usually(usual), *named(own), "--retries", "0"]
        result = pip(*DRY, *command, code=1)
        assert (
            f"× Cannot look up torch on {own.url}/simple, which --variant-index names "
            "for it." in result.stderr
        )
        assert said in result.stderr
        assert (
            f"pip install app --variant-index torch={usual.url}/simple" in result.stderr
        )
        assert pages(usual) == ["app"]

    def test_a_page_in_place_of_an_index(self, pip: Pip, own: IndexServer) -> None:
        given = named(f"{own.index_url}torch/")
        result = pip(*DRY, "torch", "--no-deps", *given, code=1)
        (line,) = (each for each in result.stderr.splitlines() if "is named" in each)
        _, _, command = line.partition(
            "An index is named without the page of torch: pip "
        )
        assert "Would install torch-2.10.0" in pip(*command.split()).stdout

    def test_one_that_cannot_be_reached(self, pip: Pip, usual: IndexServer) -> None:
        nobody = "http://user:hunter2@127.0.0.1:9/simple"
        command = [*DRY, "torch", *usually(usual), *named(nobody), "--retries", "0"]
        result = pip(*command, code=1)
        assert "Cannot look up torch on http://user:****@127.0.0.1:9/simple" in (
            result.stderr
        )
        assert "Its host cannot be reached" in result.stderr
        assert "hunter2" not in result.output
        # The way out that it names.
        command[-3] = f"torch={usual.index_url}"
        assert would_install(pip(*command)) == {"torch": "2.15.0"}

    @pytest.mark.parametrize(
        ("fault", "said"),
        [
            (
                Fault(status=403, reason="ask http://user:hunter2@a.example/"),
                "403 Client Error: ask http://****@a.example/ for url: ",
            ),
            (
                Fault(status=302, headers={"Location": "https://user:hunter2@[a/"}),
                "Invalid IPv6 URL",
            ),
        ],
        ids=["reason", "no URL"],
    )
    def test_a_password_in_what_went_wrong(
        self, pip: Pip, own: IndexServer, fault: Fault, said: str
    ) -> None:
        own.faults["/simple/torch/"] = fault
        url = own.index_url.replace("//", "//user:hunter2@")
        result = pip(*DRY, "torch", *named(url), "--retries", "0", code=1)
        assert said in result.stderr
        assert "hunter2" not in result.output

    def test_no_version_there(
        self, pip: Pip, usual: IndexServer, own: IndexServer
    ) -> None:
        result = pip(*DRY, "torch==2.15", *usually(usual), *named(own), code=1)
        assert (
            f"torch is looked up on {own.url}/simple alone, which --variant-index names "
            "for it; where another index has more: pip install torch==2.15 "
            "--variant-index torch=URL" in result.stderr
        )
        assert "from versions: 2.9.0, 2.10.0)" in result.stderr
        assert pages(usual) == []

    def test_a_url_that_another_package_names(
        self, pip: Pip, usual: IndexServer, own: IndexServer
    ) -> None:
        evil = usual.file_url("torch-2.15.0-py3-none-any.whl")
        usual.add(make_wheel("app", "2.0", requires=[f"torch @ {evil}"]))
        command = [*DRY, "app", *usually(usual)]
        assert would_install(pip(*command))["torch"] == "2.15.0"
        result = pip(*command, *named(own), code=1)
        assert f"× app 2.0 depends on torch at {evil}." in result.stderr
        assert f"pip takes torch only from {own.url}/simple (--var" in result.stderr
        # What the user types is another thing.
        result = pip(*DRY, f"torch @ {evil}", *usually(usual), *named(own))
        assert would_install(result) == {"torch": "2.15.0"}

    def test_a_url_that_an_installed_package_names(
        self, venv: Environment, usual: IndexServer, own: IndexServer
    ) -> None:
        evil = usual.file_url("torch-2.15.0-py3-none-any.whl")
        usual.add(make_wheel("app", "2.0", requires=[f"torch @ {evil}"]))
        given = [*usually(usual), *named(own)]
        venv.pip("install", "--no-deps", "app", *given)
        result = venv.pip("install", "app", *given, code=1)
        assert f"× app 2.0 depends on torch at {evil}." in result.stderr

    def test_a_url_to_build_with(
        self, venv: Environment, usual: IndexServer, own: IndexServer
    ) -> None:
        evil = usual.file_url("torch-2.15.0-py3-none-any.whl")
        usual.add(make_sdist("built", "1.0", build_requires=[f"torch @ {evil}"]))
        own.add(make_sdist("torch", "2.16.0", build_requires=[f"sympy @ {evil}"]))
        for name, said in (
            ("built", f"built needs torch at {evil}."),
            ("torch", f"torch needs sympy at {evil}."),
        ):
            command = "download", "--no-deps", name, *usually(usual), *named(own)
            result = venv.pip(*command, code=1)
            assert f"× {said}" in result.stderr
            assert f"To build nothing, use --only-binary {name}." in result.stderr

    def test_a_requirements_file(
        self, venv: Environment, usual: IndexServer, own: IndexServer
    ) -> None:
        """It changes nothing: neither the index, nor by folders of its own."""
        file = venv.work / "requirements.txt"
        file.write_text(f"{' '.join(named(usual))}\ntorch\n")
        result = venv.pip(*DRY, "-r", file.name, *named(own), code=1)
        assert "no such option: --variant-index" in result.stderr
        elsewhere = f"--find-links {usual.find_links_url}"
        for line in (
            f"-i {usual.index_url}",
            f"--extra-index-url {usual.index_url}\n{elsewhere}",
        ):
            file.write_text(f"{line}\ntorch\n")
            command = [*DRY, "-r", file.name, *usually(usual), *named(own)]
            assert would_install(venv.pip(*command, env=GPU))["torch"].startswith(
                "2.10"
            )
        file.write_text(f"--no-index\n{elsewhere}\ntorch\n")
        result = venv.pip(*command, code=1)
        assert (
            f"torch comes from {own.url}/simple alone, which --no-index in a requirements "
            "file rules out" in result.stderr
        )
        # What the user names is one more place.
        command += ["--find-links", usual.find_links_url]
        assert would_install(venv.pip(*command)) == {"torch": "2.15.0"}

    @pytest.mark.parametrize("option", ["--no-variants", "--parallel-downloads=1"])
    def test_other_options(
        self, pip: Pip, usual: IndexServer, own: IndexServer, option: str
    ) -> None:
        result = pip(*DRY, "app", *usually(usual), *named(own), option, env=GPU)
        assert would_install(result)["torch"].startswith("2.10.0")
        assert pages(own) == ["torch"]

    def test_the_old_resolver(self, pip: Pip, own: IndexServer) -> None:
        legacy = ["--use-deprecated", "legacy-resolver"]
        result = pip(*DRY, "torch", *named(own), *legacy, code=1)
        assert (
            "× --use-deprecated=legacy-resolver contradicts --variant-index."
            in result.stderr
        )


def test_without_indexes(pip: Pip, usual: IndexServer, own: IndexServer) -> None:
    """With --no-index there is none, as with --index-url."""
    folder = ["--no-index", "--find-links", usual.find_links_url]
    result = pip(*DRY, "app", *folder, *named(own))
    assert would_install(result) == {"app": "1.0", "torch": "2.15.0"}
    result = pip(*DRY, "app", "torch==9", *folder, *named(own), code=1)
    assert (
        "--no-index also turns off the index of torch (--variant-index): only "
        "--find-links places were searched" in result.stderr
    )
    assert own.log() == []


class TestPlaces:
    """Where it is written: on the command line, in the environment, in configuration."""

    @pytest.mark.parametrize("separator", [" ", "\n"])
    def test_several(
        self,
        venv: Environment,
        usual: IndexServer,
        own: IndexServer,
        make_index: Callable[[], IndexServer],
        separator: str,
    ) -> None:
        third = make_index()
        third.add(make_wheel("sympy", "1.13.0"))
        values = [named(own)[1], named(third, "sympy")[1]]
        env = {**GPU, "PIP_VARIANT_INDEX": separator.join(values)}
        command = [*DRY, "app", *usually(usual)]
        expected = {"app": "1.0", "sympy": "1.13.0", "torch": "2.10.0(cu128)"}
        assert would_install(venv.pip(*command, env=env)) == expected
        (venv.work / "pip.ini").write_text(
            "[global]\nvariant-index =\n" + "".join(f"    {each}\n" for each in values)
        )
        config = {
            **GPU,
            "PIP_CONFIG_FILE": str(venv.work / "pip.ini"),
            # Whatever else is configured where this runs.
            "PIP_CONSTRAINT": os.devnull,
        }
        assert would_install(venv.pip(*command, env=config)) == expected
        # What is typed counts, and the rest stays.
        result = venv.pip(*command, *named(usual), env=config)
        assert would_install(result) == {"app": "1.0", "torch": "2.15.0"}
        own.faults["/simple/torch/"] = Fault(status=500)
        result = venv.pip(*command, "--retries", "0", env=config, code=1)
        assert (
            "which variant-index in the configuration, or PIP_VARIANT_INDEX, names"
            in (result.stderr)
        )

    def test_places_add_up(
        self,
        venv: Environment,
        usual: IndexServer,
        own: IndexServer,
        make_index: Callable[[], IndexServer],
    ) -> None:
        """No place drops the projects of another; the more specific one wins."""
        third = make_index()
        for project in ("app", "sympy", "torch"):
            third.add(make_wheel(project, "3.0"))
        file = venv.work / "pip.ini"

        def found(weak: str, strong: str, variable: str) -> dict[str, str]:
            file.write_text(
                f"[global]\nvariant-index = {weak}\n[install]\nvariant-index = {strong}\n"
            )
            env = {
                **GPU,
                "PIP_CONFIG_FILE": str(file),
                "PIP_CONSTRAINT": os.devnull,
                "PIP_VARIANT_INDEX": variable,
            }
            return would_install(venv.pip(*DRY, "app", *usually(usual), env=env))

        torch, sympy, app = (
            named(index, project)[1]
            for index, project in ((own, "torch"), (third, "sympy"), (third, "app"))
        )
        expected = {"app": "1.0", "sympy": "3.0", "torch": "2.10.0(cu128)"}
        assert found(torch, sympy, "") == expected
        assert found(torch, "", sympy) == expected
        assert found("", torch, sympy) == expected
        assert found(torch, sympy, app) == {"app": "3.0"}
        elsewhere = named(third, "torch")[1]
        assert found(torch, elsewhere, "")["torch"] == "3.0"
        assert found(elsewhere, sympy, torch)["torch"] == "2.10.0(cu128)"

    def test_a_folder(self, venv: Environment, usual: IndexServer) -> None:
        page = venv.work / "simple" / "torch"
        page.mkdir(parents=True)
        wheel = make_wheel("torch", "2.8.0")
        wheel.write_to(page)
        (page / "index.html").write_text(f"<a href='{wheel.filename}'>x</a>")
        for place in ("simple", (venv.work / "simple").as_uri()):
            result = venv.pip(*DRY, "app", *usually(usual), *named(place))
            assert would_install(result) == {"app": "1.0", "torch": "2.8.0"}
        result = venv.pip(
            *DRY,
            "torch",
            *usually(usual),
            *named("simple", "torch,sympy"),
            "sympy",
            code=1,
        )
        assert f"There is no {venv.work / 'simple' / 'sympy' / 'index.html'}" in (
            result.stderr
        )

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            ("torch", "no '=' in 'torch', expected PROJECT[,PROJECT...]=URL without"),
            (
                "*=http://127.0.0.1:9/",
                "invalid name of a project, which is no pattern,",
            ),
            ("torch=", "no URL of an index, nor a folder that is there, in 'torch='"),
            (
                "torch=http://u:secret@one.example/,sympy=http://u:secret@two.example/",
                (
                    "several indexes, each of which needs an option of its own, in "
                    "'torch=...'"
                ),
            ),
            (
                "torch=file://home/me/wheels",
                (
                    "no URL of an index, nor a folder that is there, in "
                    "'torch=file://home/me/wheels'"
                ),
            ),
            (
                "torch=http://one.example:port/",
                (
                    "no URL of an index, nor a folder that is there, in "
                    "'torch=http://one.example:port/'"
                ),
            ),
            (
                "torch=http://u:secret@one.example/?token=secret",
                (
                    "no page of a project can follow the '?' or '#' in the URL, in "
                    "'torch=http://****@one.example/'"
                ),
            ),
            (
                "torch=http:user:secret@one.example/",
                (
                    "no URL of an index, nor a folder that is there, in "
                    "'torch=****@one.example/'"
                ),
            ),
        ],
    )
    def test_a_bad_value(self, pip: Pip, value: str, said: str) -> None:
        result = pip("install", "torch", "--variant-index", value, code=2)
        assert f"option --variant-index: {said}" in result.stderr
        assert "secret" not in result.output

    def test_two_for_a_project(
        self, pip: Pip, usual: IndexServer, own: IndexServer
    ) -> None:
        result = pip(*DRY, "torch", *named(usual), *named(own, "sympy,TORCH"), code=1)
        assert (
            f"× --variant-index torch={usual.url}/simple contradicts --variant-index "
            f"torch={own.url}/simple." in result.stderr
        )
        assert usual.log() == own.log() == []

    def test_one_for_nothing(
        self, pip: Pip, usual: IndexServer, own: IndexServer
    ) -> None:
        result = pip(*DRY, "torch", *usually(usual), *named(own, "tocrh"))
        assert result.stderr == (
            f"WARNING: --variant-index tocrh={own.url}/simple was not asked, since "
            "nothing needs tocrh\n"
        )

    @pytest.mark.parametrize("in_process", [False, True])
    def test_one_for_what_builds(
        self, pip: Pip, usual: IndexServer, own: IndexServer, in_process: bool
    ) -> None:
        """Nobody says that nothing needs it: all that a build needs is known there."""
        usual.add(make_sdist("extension", "1.0", build_requires=["app"]))
        usual.add(make_sdist("other", "1.0", build_requires=["sympy"]))
        feature = ["--use-feature", "inprocess-build-deps"] if in_process else []
        command = [*DRY, "-v", "extension", "other", *usually(usual), *named(own)]
        result = pip(*command, *feature, env=GPU)
        assert pages(own) == ["torch"]
        assert "was not asked" not in result.output


class TestNoOtherIndexIsAsked:
    """pip asks no other index for a scoped project, not even for advice."""

    def test_its_page_cannot_fail_the_run(
        self, pip: Pip, usual: IndexServer, own: IndexServer
    ) -> None:
        usual.faults["/simple/torch/"] = Fault(
            body=b'{"files": [7], "meta": 3}',
            headers={"Content-Type": "application/vnd.pypi.simple.v1+json"},
        )
        result = pip(*DRY, "app", *usually(usual), *named(own), env=GPU)
        assert would_install(result)["torch"] == "2.10.0(cu128)"
        assert result.stderr == ""
        assert sorted(pages(usual)) == ["app", "sympy"]

    def test_an_idle_gpu(self, pip: Pip, usual: IndexServer, own: IndexServer) -> None:
        command = [*DRY, "torch", *usually(usual), *named(own)]
        result = pip(*command, env=forced("11.8"))
        assert would_install(result)["torch"] == "2.10.0(null)"
        assert "The target machine has an NVIDIA GPU" in result.stderr
        assert pages(usual) == ["sympy"]


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
        # From the lock no page is fetched.
        closed.clear_log()
        again = ["install", "--force-reinstall", "-r", "pylock.toml"]
        venv.pip(*again, *given, env=GPU)
        assert pages(closed) == []
        assert not any("authorization" in each.headers for each in usual.requests)

    def test_in_netrc(
        self, venv: Environment, usual: IndexServer, closed: IndexServer
    ) -> None:
        netrc = venv.work / "netrc"
        netrc.write_text("machine 127.0.0.1 login user password hunter2\n")
        netrc.chmod(0o600)
        env = {**GPU, "NETRC": str(netrc)}
        result = venv.pip(*DRY, "app", *usually(usual), *named(closed), env=env)
        assert would_install(result)["torch"] == "2.10.0(cu128)"

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

    @pytest.mark.parametrize("said", ["1", "anything"])
    def test_in_a_build_of_another_pip(
        self, pip: Pip, usual: IndexServer, own: IndexServer, said: str
    ) -> None:
        """A version of this pip in the build may be told less than this one tells."""
        env = {**GPU, "_PIP_VARIANTS_IN_BUILD": said}
        result = pip(*DRY, "app", *usually(usual), *named(own), env=env)
        assert would_install(result)["torch"].startswith("2.10.0")

    @pytest.mark.parametrize("in_process", [False, True])
    def test_in_builds(
        self,
        venv: Environment,
        usual: IndexServer,
        closed: IndexServer,
        in_process: bool,
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
        feature = ["--use-feature", "inprocess-build-deps"] if in_process else []
        given = [*usually(usual), *named(closed.index_url_with_auth), *feature]
        env = {**GPU, "PIP_VARIANT_INDEX": "mine=http://127.0.0.1:9"}
        venv.pip("download", "--no-deps", "outer", *given, env=env)
        assert pages(closed) == ["torch"]
        # What the user has set is there as it is.
        assert set(seen.read_text().split()) == {env["PIP_VARIANT_INDEX"]}

    def test_none(
        self,
        pip: Pip,
        usual: IndexServer,
        closed: IndexServer,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        command = [*DRY, "torch", *usually(usual), *named(closed), "--no-input"]
        result = pip(*command, code=1)
        assert "401 Client Error: Unauthorized" in result.stderr
        monkeypatch.setattr("sys.stdin", io.StringIO())
        result = pip(*command[:-1], env={"PIP_NO_INPUT": None}, code=1)
        assert "there is nobody to type them" in result.stderr
        assert "If it takes a password, put that into the URL of the index" in (
            result.stderr
        )
        assert pages(usual) == []


def test_hashes_and_constraints(
    venv: Environment, usual: IndexServer, own: IndexServer
) -> None:
    wheel = make_wheel("torch", "2.9.0")
    file = venv.work / "requirements.txt"
    command = [*DRY, "-r", file.name, *usually(usual), *named(own)]
    file.write_text(f"torch==2.9.0 --hash=sha256:{wheel.sha256}\n")
    assert would_install(venv.pip(*command)) == {"torch": "2.9.0"}
    file.write_text(f"torch==2.9.0 --hash=sha256:{'0' * 64}\n")
    result = venv.pip(*command, code=1)
    assert "DO NOT MATCH THE HASHES" in result.stderr
    file.write_text("torch<2.10\n")
    result = venv.pip(*DRY, "app", "-c", file.name, *usually(usual), *named(own))
    assert would_install(result) == {"app": "1.0", "torch": "2.9.0"}


class TestOtherCommands:
    """All that choose among builds keep to it."""

    @pytest.mark.parametrize("command", ["download", "wheel"])
    def test_files(
        self, venv: Environment, usual: IndexServer, own: IndexServer, command: str
    ) -> None:
        given = [*usually(usual), *named(own)]
        venv.pip(command, "app", *given, env=GPU)
        assert {each.name for each in venv.work.glob("*.whl")} == {
            "app-1.0-py3-none-any.whl",
            "sympy-1.14.0-py3-none-any.whl",
            "torch-2.10.0-py3-none-any-cu128.whl",
        }

    def test_listings(
        self, venv: Environment, usual: IndexServer, own: IndexServer
    ) -> None:
        given = [*usually(usual), *named(own)]
        result = venv.pip("index", "versions", "torch", *given, env=GPU)
        assert result.stdout == ("torch (2.10.0)\nAvailable versions: 2.10.0, 2.9.0\n")
        result = venv.pip("variants", "list", "torch", *given, "--json", env=GPU)
        listed = json.loads(result.stdout)
        assert "2.10.0" in result.stdout
        assert "2.15.0" not in result.stdout
        assert listed
        result = venv.pip("variants", "explain", "torch", *given, env=GPU)
        assert "torch-2.10.0-py3-none-any-cu128.whl would be installed." in result.lines
        venv.pip("install", "torch==2.9.0", "sympy==1.14.0", *given)
        result = venv.pip("list", "--outdated", "--format", "json", *given, env=GPU)
        assert [each["latest_version"] for each in json.loads(result.stdout)] == [
            "2.10.0"
        ]
        assert pages(usual).count("torch") == 0

    @pytest.mark.parametrize("in_process", [False, True])
    def test_builds(
        self, venv: Environment, usual: IndexServer, own: IndexServer, in_process: bool
    ) -> None:
        sdist = make_sdist("extension", "1.0", build_requires=["torch"])
        usual.add(sdist)
        feature = ["--use-feature", "inprocess-build-deps"] if in_process else []
        file = venv.work / "requirements.txt"
        file.write_text(f"--find-links {usual.find_links_url}\nextension\n")
        command = ["download", "--no-deps", "-r", file.name, *feature]
        venv.pip(*command, *usually(usual), *named(own), env=GPU)
        torches = [path for _, path in own.log() if path.endswith(".whl")]
        assert torches == ["/files/torch-2.10.0-py3-none-any-cu128.whl"]
        assert not any("torch-" in path for _, path in usual.log())
        file.write_text(f"--no-index\n--find-links {usual.find_links_url}\nextension\n")
        (venv.work / sdist.filename).unlink()
        result = venv.pip(*command, *usually(usual), *named(own), env=GPU, code=1)
        assert "which --no-index in a requirements file rules out" in result.output

    def test_plugins(
        self, venv: Environment, usual: IndexServer, own: IndexServer
    ) -> None:
        """A plugin comes from an index that is for it, and from no other of the kind."""
        plugin = "npu-variant-provider"
        manifest = make_manifest(
            {"npu": ["npu :: kind :: b1"]},
            providers={"npu": Provider([plugin], "npu_plugin")},
        )
        own.add_release("kernels", "1.0", {}, manifest=manifest)
        code = (
            "class Feature:\n    multi_value = False\n    name, values = 'kind', ['b1']\n"
            "def get_supported_configs():\n    return [Feature()]\n"
        )
        for index in (usual, own):
            index.add(make_wheel(plugin, "1.0", files={"npu_plugin.py": code}))
        trust = ["--trust-variant-provider", plugin, "--no-cache-dir"]
        command = [*DRY, "kernels", *usually(usual), *trust]
        for given, asked in (("kernels", usual), (f"kernels,{plugin}", own)):
            usual.clear_log()
            own.clear_log()
            result = venv.pip(*command, *named(own, given))
            assert "Using the variant npu of kernels 1.0" in result.stdout
            assert plugin in pages(asked)
            assert [plugin in pages(each) for each in (usual, own)].count(True) == 1


@pytest.mark.pytorch
def test_beside_the_bridge(pip: Pip, own: IndexServer) -> None:
    """What is named comes from there; the bridge has a say in the rest."""
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


def test_what_is_asked_early(pip: Pip, usual: IndexServer, own: IndexServer) -> None:
    """Pages that are foreseen are asked for once, and where they belong."""
    variants = {"cu128": cuda("12.8")}
    own.add_release("torchvision", "0.25", variants, requires=["torch", "pillow"])
    usual.add(make_wheel("pillow", "12.0"))
    usual.add(make_wheel("torchvision", "0.30"))
    command = [*usually(usual), *named(own, "torch,torchvision")]
    pip(*DRY, "app", "torchvision", *command, env=GPU)
    assert sorted(pages(own)) == ["torch", "torchvision"]
    assert sorted(pages(usual)) == ["app", "pillow", "sympy"]
