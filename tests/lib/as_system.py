"""Simulate another operating system for this project's modules.

``AS_SYSTEM=win32`` (or ``darwin``) with ``-p tests.lib.as_system`` rewrites the modules at
import: ``sys.platform`` and ``os.name`` have the values of that system, and functions of
``os``, ``signal`` and other modules that the system lacks are missing. Upstream's code and
the standard library stay unchanged, so each failure is due to this project's code.
"""

from __future__ import annotations

import ast
import importlib.machinery
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import CodeType, ModuleType

SYSTEM = os.environ.get("AS_SYSTEM")
#: Whether this is Windows, or simulates it.
WINDOWS = "win32" in (sys.platform, SYSTEM)
_NAMES = {"win32": "nt", "darwin": "posix"}
#: By system: the missing names of each module; None for a missing module.
LACKING: Mapping[str, Mapping[str, frozenset[str] | None]] = {
    "win32": {
        "os": frozenset(
            (
                *(
                    "chown",
                    "fchown",
                    "fork",
                    "getegid",
                    "geteuid",
                    "getgid",
                    "getgroups",
                ),
                *(
                    "getpgid",
                    "getsid",
                    "getuid",
                    "getxattr",
                    "killpg",
                    "lchown",
                    "sync",
                ),
                *("listxattr", "mkfifo", "mknod", "pipe2", "posix_fadvise", "sysconf"),
                *(
                    "posix_fallocate",
                    "posix_spawn",
                    "pread",
                    "preadv",
                    "pwrite",
                    "wait4",
                ),
                *("sched_getaffinity", "sendfile", "setpgid", "setsid", "setuid"),
                *("statvfs", "waitid", "copy_file_range", "memfd_create", "O_CLOEXEC"),
                *("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_NOATIME", "O_PATH"),
                *("O_TMPFILE", "WNOHANG"),
            )
        ),
        "signal": frozenset(
            (
                *("SIGKILL", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGPIPE"),
                *("SIGALRM", "SIGCHLD", "alarm", "pthread_kill", "pthread_sigmask"),
                *("setitimer", "siginterrupt"),
            )
        ),
        "locale": frozenset({"LC_MESSAGES"}),
        "socket": frozenset({"AF_UNIX"}),
        **dict.fromkeys(("fcntl", "grp", "pwd", "resource", "termios", "tty", "pty")),
    },
    "darwin": {
        "os": frozenset(
            (
                *("copy_file_range", "getxattr", "listxattr", "memfd_create", "pipe2"),
                *("posix_fadvise", "posix_fallocate", "sched_getaffinity", "setxattr"),
                *("splice", "O_NOATIME", "O_PATH", "O_TMPFILE"),
            )
        ),
        "signal": frozenset({"sigtimedwait"}),
    },
}
_OWN = ("src/pip/", "core/src/", "carrier/src/", "build/assembled/pip/_vendor/wheel_")
_TRUE = ast.Constant(True)
_ROOT = Path(__file__).resolve().parents[2]


class _Rewriter(ast.NodeTransformer):
    def __init__(self, system: str) -> None:
        self._system, self._lacking = system, LACKING[system]

    def _lacks(self, node: ast.expr, name: str) -> bool:
        names = self._lacking.get(node.id) if isinstance(node, ast.Name) else None
        return names is not None and name in names

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        told: dict[str, str | int] = {
            "sys.platform": self._system,
            "os.name": _NAMES[self._system],
        }
        text = ast.unparse(node)
        if text in told:
            return ast.copy_location(ast.Constant(told[text]), node)
        if self._lacks(node.value, node.attr):
            # The error names the attribute, as code that catches the error expects.
            lacking = ast.parse(f"object().{node.attr}", mode="eval").body
            return ast.fix_missing_locations(ast.copy_location(lacking, node))
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        if "subprocess.CREATE_NEW_PROCESS_GROUP" in map(ast.unparse, node.values):
            # Only Windows has this flag; a plugin's process may kill its own group.
            node.keys, node.values = [ast.Constant("start_new_session")], [_TRUE]
        return ast.fix_missing_locations(self.generic_visit(node))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("hasattr"), [module, ast.Constant(str() as name)]):
                if self._lacks(module, name):
                    return ast.copy_location(ast.Constant(False), node)
            case ast.Call(
                ast.Name("getattr"), [module, ast.Constant(str() as name), x]
            ):
                if self._lacks(module, name):
                    return x
        return node

    def visit_Import(self, node: ast.Import) -> ast.AST:
        for alias in node.names:
            if self._lacking.get(alias.name, ()) is None:
                failing = ast.parse(f"raise ModuleNotFoundError({alias.name!r})").body[
                    0
                ]
                return ast.fix_missing_locations(ast.copy_location(failing, node))
        return node


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        # Existing bytecode is for this system.
        assert SYSTEM is not None, "else nothing is rewritten"
        path = self.get_filename(fullname)
        tree = _Rewriter(SYSTEM).visit(ast.parse(self.get_data(path)))
        code = compile(tree, path, "exec", dont_inherit=True)
        assert isinstance(code, CodeType)
        return code


class _RewritingFinder(MetaPathFinder):
    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Find modules of this project, and rewrite them."""
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        origin = None if spec is None else spec.origin
        if spec is None or origin is None or not origin.endswith(".py"):
            return None
        place = os.path.realpath(origin)
        if any(place.startswith(str(_ROOT / each)) for each in _OWN):
            spec.loader = _Loader(fullname, origin)
        return spec


if SYSTEM is not None:
    assert SYSTEM in LACKING, SYSTEM
    assert not any(name.startswith("pip._internal") for name in sys.modules)
    sys.meta_path.insert(0, _RewritingFinder())
    import fcntl

    # The lock of an environment; this module exists only on Windows.
    windows = ModuleType("msvcrt")
    flags = fcntl.LOCK_EX | fcntl.LOCK_NB
    vars(windows).update(LK_NBLCK=2, locking=lambda fd, *_: fcntl.flock(fd, flags))
    sys.modules["msvcrt"] = windows
