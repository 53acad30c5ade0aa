"""How a program is asked, language by language: what notes the calls of its tests, and what asks again."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

_DRIVERS = files("assay.detectors.effects").joinpath("drivers")


@dataclass(frozen=True, slots=True, eq=False)
class Driver:
    """One language.

    ``recorder`` has the files in our folder, each with those whose joined text it is, and ``setting`` the shell
    words that make every process of the language load it. ``asker`` has the files whose joined text asks again,
    and ``start`` the options with which a neutral process is started: its program reads the length of a text, the
    text, and a line of questions.
    """

    languages: frozenset[str]
    recorder: Mapping[str, tuple[str, ...]]
    setting: str
    asker: tuple[str, ...]
    start: tuple[str, ...]

    def recording(self, folder: str) -> dict[str, bytes]:
        return {f"{folder}/{name}": driver_text(*parts) for name, parts in self.recorder.items()}

    def asking(self) -> bytes:
        return driver_text(*self.asker)


def driver_text(*names: str) -> bytes:
    """The joined text of drivers."""
    return b"".join(_DRIVERS.joinpath(name).read_bytes() for name in names)


PYTHON = Driver(
    frozenset({"python"}),
    {"sitecustomize.py": ("spelling.py", "record_calls.py")},
    'export PYTHONPATH="$PWD/{folder}${{PYTHONPATH:+:$PYTHONPATH}}"; ',
    ("spelling.py", "ask_again.py"),
    ("-B", "-c", "import sys; exec(compile(sys.stdin.read(int(sys.stdin.readline())), 'app', 'exec'))"),
)
JAVASCRIPT = Driver(
    frozenset({"javascript", "typescript"}),
    {name: (name,) for name in ("record_calls.cjs", "rewrite_tests.mjs", "runner_modules.cjs", "spelling.cjs")},
    'export NODE_OPTIONS="${{NODE_OPTIONS:+$NODE_OPTIONS }}--require \\"$PWD/{folder}/record_calls.cjs\\""; ',
    ("spelling.cjs", "ask_again.cjs"),
    (
        "-e",
        'const s = require("node:fs").readFileSync(0, "utf8"), a = s.indexOf("\\n") + 1, b = a + +s.slice(0, a); '
        'require("node:vm").compileFunction(s.slice(a, b), ["require", "load", "line"], { filename: "/app.js" })'
        "(require, (one) => import(one), s.slice(b))",
    ),
)
DRIVERS = (PYTHON, JAVASCRIPT)
