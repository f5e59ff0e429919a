"""Install pip with native wheel variants into a Python.

This file contains the pip that it installs, and needs no network. Its source is a release
folder: ``nox -s release`` in a clone of the repository writes ``build/release``. Compare
the sha256 of this file with ``SHA256SUMS`` there. ``--help`` lists the options.
"""
# An older Python must be able to parse this file, to report that it is too old.

import sys

# The digest of the wheel below.
SHA256 = ""


def main() -> "str | int":
    """Unpack and run the wheel below, and return the exit status."""
    if sys.version_info < (3, 10):  # noqa: UP036
        return (
            "error: this pip needs Python 3.10 or newer. Run the file with the Python "
            "whose pip you want to replace, such as python3.13. This is Python "
            + sys.version.partition(" ")[0]
        )
    import base64
    import hashlib
    import io
    import tempfile
    import zipfile

    try:
        wheel = base64.b85decode("".join(WHEEL.split()))
    except ValueError:
        wheel = b""
    if hashlib.sha256(wheel).hexdigest() != SHA256:
        return (
            "error: this file is damaged: its pip has the wrong sha256. Nothing was "
            "changed. Get the file again from the release folder, and compare its "
            "sha256 with SHA256SUMS there. In a repository clone, nox -s release "
            "writes that folder: build/release"
        )
    with tempfile.TemporaryDirectory(prefix="get-pip-variants-") as folder:
        zipfile.ZipFile(io.BytesIO(wheel)).extractall(folder)
        sys.path.insert(0, folder)
        from pip_variants.cli import main as run

        given = sys.argv[1:]
        # Hints of the carrier contain this command, so users may type it here too.
        if given[:1] == ["bootstrap"]:
            del given[0]
        return run(["bootstrap", *given], "python get-pip-variants.py")


WHEEL = ""

if __name__ == "__main__":
    # The folder of this file is first on sys.path, and may contain any json.py. Only sys is
    # imported before this line, so no module of that folder runs.
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        del sys.path[0]
    sys.exit(main())
