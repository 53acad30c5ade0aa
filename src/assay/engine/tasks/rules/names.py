"""The tests' demands beyond files: functions of the agent's modules, how it worked, tools in the image."""

import ast
import posixpath
import re
import sys
from collections.abc import Iterator

from assay.engine.tasks.rules.facts import CODE, TaskFacts, is_below, is_file
from assay.engine.tasks.task_reading import LintFinding
from assay.formats.python_paths import Use
from assay.formats.shell import command_lines

_HISTORY = re.compile(r"\.bash_history|\.zsh_history|\bHISTFILE\b")
_BARE = re.compile(
    r"^(?:docker\.io/|library/)*(?:ubuntu|debian|alpine|fedora|centos|python|node|golang|rust)(?::|$)"
)
_PROMISE = re.compile(
    r"\b(?:writ|sav|creat|produc|generat|stor|output|export|put|plac)\w*\b[^.\n]{0,120}?(?<![\w./%}>$*-])(?P<path>/[\w+@-][\w./+@-]*\.\w{1,5})(?![\w/])",
    re.IGNORECASE,
)
_LOOKS_AROUND = re.compile(r"\bglob\b|\blistdir\b|\biterdir\b|\bos\.walk\b|\bfind\s+/|\*\.\w+")


def name_findings(facts: TaskFacts) -> Iterator[LintFinding]:
    """All findings on names in the tests."""
    yield from _names(facts)
    yield from _history(facts)
    yield from _tools(facts)
    yield from _never_run(facts)


def _names(facts: TaskFacts) -> Iterator[LintFinding]:
    """Functions of a module that the instruction asks for, but which it doesn't name."""
    for file, tree in facts.trees.items():
        for module, name, line in _used_names(tree):
            told = name == "*" or name in facts.files.instruction or facts.image.mentions(name)
            if _is_agents(module, facts) and not (told or name.startswith("__")):
                why = f"it uses {name} of {module}, but neither the instruction nor the environment names it"
                yield LintFinding("name-not-asked-for", f"tests/{file}:{line}", why)


def _used_names(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """Modules, and the names that are taken from them."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, one.name, node.lineno) for one in node.names)
        elif isinstance(node, ast.Import):
            modules |= {one.asname or one.name: one.name for one in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield modules[node.value.id], node.attr, node.lineno


def _is_agents(module: str, facts: TaskFacts) -> bool:
    """Whether a module is a file that the instruction asks for and that isn't there yet."""
    name = f"{module.rpartition('.')[2]}.py"
    own = any(posixpath.basename(test) == name for test in facts.files.tests)
    known = module.partition(".")[0] in sys.stdlib_module_names
    return not own and not known and name in facts.files.instruction and not facts.image.mentions(name)


def _history(facts: TaskFacts) -> Iterator[LintFinding]:
    for name, text in facts.files.tests.items():
        for number, line in enumerate(text.splitlines(), start=1):
            if _HISTORY.search(line):
                why = "it reads the history of a shell, which tells how the agent worked and not what it made"
                yield LintFinding("agents-history", f"tests/{name}:{number}", why)


def _tools(facts: TaskFacts) -> Iterator[LintFinding]:
    """A pytest that neither the image nor the script installs."""
    bases = [one.words[0] for one in facts.image.instructions if one.keyword == "FROM" and one.words]
    if (
        "Dockerfile" in facts.files.tests
        or not bases
        or not _BARE.match(bases[-1])
        or facts.image.mentions("pytest")
        or facts.image.mentions("requirements")
    ):
        return
    lines = command_lines(facts.files.script)
    if any(
        re.search(r"\b(?:install|add|uvx?|pipx|venv|activate|source|nix|conda|poetry|sync)\b", line.text)
        for line in lines
    ):
        return
    for line in lines:
        if re.search(r"(?:^|[;&|(!]\s{0,9}|\bif\s{1,9}|-m\s{1,9})(?:\S{1,99}/)?pytest\b", line.text):
            why = f"it runs pytest, but neither the script nor the Dockerfile (FROM {bases[-1]}) installs it"
            yield LintFinding("tool-missing", f"tests/test.sh:{line.number}", why)
            return


def _never_run(facts: TaskFacts) -> Iterator[LintFinding]:
    """Programs that the instruction asks for, and that tests only look at as text."""
    tests = "\n".join(facts.files.tests.values())
    places = [place for place in facts.places if place.path.endswith(CODE)]
    asked = {place.path for place in facts.outputs() if place.path.endswith(CODE)}
    run = {posixpath.basename(place.path) for place in places if place.mention.use is Use.RUN}
    if (
        not asked
        or run
        or re.search(
            r"\b(?:subprocess|import_module|spec_from\w*|exec|eval|runpy|sys\.path|PYTHONPATH|compile|ast)\b",
            tests,
        )
    ):
        return
    others = {place.path for place in facts.places if place.path in facts.files.instruction} | {
        place.path for place in facts.outputs()
    }
    if not others <= asked:
        return
    for place in places:
        if place.path in asked:
            why = f"the tests read {place.path} as text, and none of them runs it"
            yield LintFinding("program-not-run", place.at, why)
            return


def output_path_findings(facts: TaskFacts) -> Iterator[LintFinding]:
    """Outputs that are read but not asked for, and the other way round."""
    unpromised = {place.path: place.at for place in facts.outputs() if not facts.instructed(place.path)}
    for path, at in unpromised.items():
        why = f"the tests read {path}, but neither the instruction nor the environment names that path"
        yield LintFinding("output-not-asked-for", at, why)
    for path, line in _untested_promises(facts):
        why = f"the instruction asks for {path}, but no test reads it"
        yield LintFinding("output-not-tested", f"instruction.md:{line}", why)


def asked_for(instruction: str) -> list[str]:
    """The files that an instruction asks to be written."""
    return list(dict.fromkeys(found["path"] for found in _PROMISE.finditer(instruction)))


def _untested_promises(facts: TaskFacts) -> Iterator[tuple[str, int]]:
    tests = "\n".join(facts.files.tests.values())
    if facts.files.is_one_of_several or _LOOKS_AROUND.search(tests):
        return
    for found in _PROMISE.finditer(facts.files.instruction):
        path = found["path"]
        example = facts.files.instruction[: found.start("path")].endswith('": "')
        there = is_below(path, "/var", "/usr", *facts.image.unseen)
        if example or there or re.search(r"(?<![A-Za-z])[NX](?![A-Za-z])", path):
            continue  # An example of content, a file that may be there, or a number that is to be filled in.
        if is_file(path) and not is_below(path, "/tests", "/logs") and posixpath.basename(path) not in tests:
            stem = posixpath.splitext(posixpath.basename(path))[0]
            before = r"\b" if path.endswith(CODE) else r"['\"/]"
            if re.search(rf"{before}{re.escape(stem)}\b", tests) is None and not facts.image.mentions(
                posixpath.basename(path)
            ):
                yield path, facts.files.instruction.count("\n", 0, found.start("path")) + 1
