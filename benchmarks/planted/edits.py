"""Edits of a task's files that plant one defect each, and the values that they're made of."""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

Files = dict[str, str]
Edit = Callable[[Files], None]
REWARD = "/logs/verifier/reward.txt"
SCRIPT, SOLUTION, INSTRUCTION = "tests/test.sh", "solution/solve.sh", "instruction.md"
DOCKERFILE, SETTINGS = "environment/Dockerfile", "task.toml"
_PATH = re.compile(r"(?<![\w.~/$}:-])(?:/[\w+@-]+){1,6}/[\w+@-]+\.\w{2,5}(?![\w/])")
_RUNS_TESTS = re.compile(r"^(?!\s*#)(?!.*\binstall\b).*(?:\bpytest\b|\bpython3? (?:-\S+ )*/tests/)")
_ABOUT_TIME = re.compile(
    r"second|minute|\btime|\bdate|\bday|hour|\bnow\b|fast|slow|speed|perform|latency|effic|today|current|year"
    r"|duration|\bms\b|throughput|benchmark|within \d|random|seed|chance|sampl|shuffl",
    re.IGNORECASE,
)


class NotHereError(Exception):
    """A defect can't be planted in a task, because the task has nothing of the sort."""


@dataclass(frozen=True, slots=True)
class PlantedDefect:
    """One defect: the kind of mistake, how an author makes it, and the findings that name it."""

    kind: str
    name: str
    plant: Edit
    found_as: frozenset[str]


def defects(kind: str, found_as: str, **edits: Edit) -> list[PlantedDefect]:
    """Defects of one kind by name."""
    return [
        PlantedDefect(kind, name.replace("_", "-"), edit, frozenset(found_as.split()))
        for name, edit in edits.items()
    ]


def text_of(files: Files, name: str) -> str:
    if not files.get(name, "").strip():
        raise NotHereError(name)
    text: str = files[name]
    return text


def shared_path(files: Files) -> str:
    """The first path that both the instruction and the tests name, and that no other file does."""
    tests = "\n".join(text for name, text in files.items() if name.startswith("tests/"))
    given = "\n".join(text for name, text in files.items() if name.startswith("environment/"))
    for path in map(str, _PATH.findall(text_of(files, INSTRUCTION))):
        name = path.rpartition("/")[2]
        if (
            path in tests
            and name not in given
            and not any(given_name.endswith(f"/{name}") for given_name in files)
        ):
            return path
    raise NotHereError("a path")


def replaced(old: str, new: str, *folders: str) -> Edit:
    """An edit that replaces a pattern in all files below folders, or in files of these names."""

    def edit(files: Files) -> None:
        found = 0
        for name in [name for name in files if name.startswith(folders)]:
            files[name], times = re.subn(old, new, files[name], flags=re.MULTILINE)
            found += times
        if not found:
            raise NotHereError(old)

    return edit


def renamed(change: Callable[[str], str], *folders: str) -> Edit:
    """An edit that changes the shared path in the files below some folders only."""

    def edit(files: Files) -> None:
        path = shared_path(files)
        folder, _, name = path.rpartition("/")
        new_folder, _, new_name = change(path).rpartition("/")
        for file in [file for file in files if file.startswith(folders)]:
            files[file] = files[file].replace(path, f"{new_folder}/{new_name}")
            if new_folder == folder:
                files[file] = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", new_name, files[file])

    return edit


def added(name: str, text: str) -> Edit:
    """An edit that appends lines to a file, or makes the file."""

    def edit(files: Files) -> None:
        files[name] = files.get(name, "").rstrip("\n") + "\n" + text + "\n"

    return edit


def at_end(name: str, text: str) -> Edit:
    """An edit that appends lines to a script that comes to its end."""

    def edit(files: Files) -> None:
        if re.search(r"^\s*(?:exit|exec)\b", text_of(files, name), re.MULTILINE):
            raise NotHereError("an end")
        added(name, text)(files)

    return edit


def several(*edits: Edit) -> Edit:
    """Several edits, one after the other."""

    def edit(files: Files) -> None:
        for one in edits:
            one(files)

    return edit


def solution(text: str | None) -> Edit:
    """An edit that puts one script in place of the whole solution, or nothing at all."""

    def edit(files: Files) -> None:
        text_of(files, SOLUTION)
        for name in [name for name in files if name.startswith("solution/")]:
            del files[name]
        if text is not None:
            files[SOLUTION] = text

    return edit


def runner(files: Files) -> tuple[str, str, str]:
    """The script of the tests: before the command that runs them, the command, and after it."""
    lines = text_of(files, SCRIPT).split("\n")
    first = next((number for number, line in enumerate(lines) if _RUNS_TESTS.search(line)), None)
    if first is None or "reward" in lines[first]:
        raise NotHereError("a runner")
    last = first
    while lines[last].endswith("\\") and last + 1 < len(lines):
        last += 1
    command = "\n".join(lines[first : last + 1])
    if "trap " in "\n".join(lines[:first]) or re.match(r"\s*(?:if|\w+=|\()|.*(?:&&|\|)", command):
        raise NotHereError("a plain command")
    return "\n".join(lines[:first]), command, "\n".join(lines[last + 1 :])


def verdict(text: str) -> Edit:
    """An edit of what follows the tests' command. ``{runner}`` in the text stands for the command itself."""

    def edit(files: Files) -> None:
        before, command, after = runner(files)
        if "reward." in before or "reward." not in after:
            raise NotHereError("a script that writes its reward at the end")
        own = text if "{runner}" in text else "{runner}\n" + text
        files[SCRIPT] = before + "\n" + own.replace("{runner}", command).replace("{reward}", REWARD) + "\n"

    return edit


def before_tests(text: str) -> Edit:
    """An edit that puts lines before the command that runs the tests."""

    def edit(files: Files) -> None:
        before, command, after = runner(files)
        if "reward." not in after:
            raise NotHereError("a script that writes its reward at the end")
        files[SCRIPT] = "\n".join((before, text, command, after))

    return edit


def test_files(files: Files) -> list[str]:
    """The Python files with tests in them."""
    found = [name for name in files if re.fullmatch(r"tests/.*\.py", name) and "def test_" in files[name]]
    if not found or "pytest" not in files.get(SCRIPT, ""):
        raise NotHereError("tests in Python")
    return sorted(found)


def in_test(code: str, imports: str = "", *, about_time: bool = True) -> Edit:
    """An edit that adds lines at the end of the last test. ``PATH`` in them is the path of the output."""

    def edit(files: Files) -> None:
        if about_time and _ABOUT_TIME.search(text_of(files, INSTRUCTION)):
            raise NotHereError("an instruction without a word on time or chance")
        name = test_files(files)[0]
        body = _last_test(files[name])
        lines = files[name].split("\n")
        indent = " " * body[0].col_offset
        own = code.replace("PATH", repr(shared_path(files))) if "PATH" in code else code
        lines[body[-1].end_lineno or 0 : body[-1].end_lineno or 0] = [indent + line for line in own.split("\n")]
        files[name] = _with_imports("\n".join(lines), imports)

    return edit


def _last_test(source: str) -> list[ast.stmt]:
    tests = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and len(node.body) > 1
    ]
    if not tests or isinstance(tests[-1].body[-1], ast.Return | ast.Raise):
        raise NotHereError("a test")
    return tests[-1].body


def _with_imports(source: str, imports: str) -> str:
    lines = source.split("\n")
    first = next(
        (
            number
            for number, line in enumerate(lines)
            if line.startswith(("import ", "from ")) and "__" not in line
        ),
        0,
    )
    return "\n".join([*lines[:first], *([imports] if imports else []), *lines[first:]])


def every_test(change: Callable[[ast.FunctionDef], None], imports: str = "") -> Edit:
    """An edit of every test of every file."""

    def edit(files: Files) -> None:
        for name in test_files(files):
            tree = ast.parse(files[name])
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                    change(node)
            files[name] = _with_imports(ast.unparse(ast.fix_missing_locations(tree)), imports)

    return edit


def every_assertion(change: Callable[[ast.Assert], ast.stmt]) -> Edit:
    """An edit of every assertion of every file."""

    class Changed(ast.NodeTransformer):
        def visit_Assert(self, node: ast.Assert) -> ast.stmt:
            return change(node)

    def edit(files: Files) -> None:
        for name in test_files(files):
            tree = Changed().visit(ast.parse(files[name]))
            files[name] = ast.unparse(ast.fix_missing_locations(tree))

    return edit
