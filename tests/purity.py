"""Which lines of a module below adapters reach the outside, found by reading the code.

A name can always be reached in a way that no reader of code sees; this is against mistakes, not against malice.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

# The layers below adapters: they reach the outside through ports.
PURE = ("core", "evidence", "formats", "code", "detectors", "checks", "dialects", "judge", "stats", "engine")

# Modules that start processes, open files or sockets, or know the time or chance.
OUTSIDE = frozenset(
    {
        *("asyncio", "atexit", "ctypes", "fcntl", "fileinput", "ftplib", "getpass", "glob", "http", "locale"),
        *("mmap", "multiprocessing", "os", "platform", "pty", "random", "resource", "sched", "secrets", "select"),
        *("selectors", "shutil", "signal", "smtplib", "socket", "socketserver", "ssl", "subprocess", "tempfile"),
        *("time", "urllib", "uuid", "webbrowser"),
        *("aiohttp", "alembic", "asyncssh", "httpx", "psycopg", "requests", "sqlalchemy"),
    }
)
# Parts of those modules that only compute.
HARMLESS = frozenset({"urllib.parse"})
# Of pathlib, only what never looks at a disk.
PURE_PATHS = frozenset({"PurePath", "PurePosixPath", "PureWindowsPath"})
BUILTINS = frozenset({"open", "input", "exec", "eval", "breakpoint"})
DRIVERS = "drivers"
CLOCKS = frozenset({"now", "utcnow", "today"})


def reaches(source: str) -> Iterator[tuple[int, str]]:
    """The line and the name of everything in a text of Python that reaches the outside."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names if _is_outside(name.name))
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            yield from _imported(node)
        elif isinstance(node, ast.Call):
            yield from _called(node)


def pure_modules(package: Path) -> Iterator[Path]:
    """All modules of the pure layers. Drivers are no modules: they are programs for a sandbox, kept as data."""
    for layer in PURE:
        yield from (path for path in sorted((package / layer).rglob("*.py")) if path.parent.name != DRIVERS)


def _is_outside(module: str) -> bool:
    return (module.partition(".")[0] in OUTSIDE and module not in HARMLESS) or module == "pathlib"


def _imported(node: ast.ImportFrom) -> Iterator[tuple[int, str]]:
    module = node.module or ""
    names = [name.name for name in node.names]
    if module == "pathlib":
        yield from ((node.lineno, f"pathlib.{name}") for name in names if name not in PURE_PATHS)
    elif all(f"{module}.{name}" in HARMLESS for name in names):
        return
    elif _is_outside(module):
        yield node.lineno, module


def _called(node: ast.Call) -> Iterator[tuple[int, str]]:
    match node.func:
        case ast.Name(name) if name in BUILTINS:
            yield node.lineno, name
        case ast.Attribute(ast.Name("datetime" | "date") as owner, name) if name in CLOCKS:
            yield node.lineno, f"{owner.id}.{name}"
