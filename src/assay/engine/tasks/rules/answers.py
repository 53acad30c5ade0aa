"""Answers that the agent can read or change: in the image, in a copy of the tests, or in its own output."""

import posixpath
import re
from collections.abc import Iterator

from assay.engine.tasks.rules.facts import (
    ANSWER,
    CHECKER,
    MentionPlace,
    TaskFacts,
    copied_from,
    is_below,
    is_file,
)
from assay.engine.tasks.task_reading import LintFinding
from assay.formats.python_paths import Use

_WRITES_A_WORD = re.compile(
    r"\b(?:echo|printf)\s+(?:-[ne]+\s+)?['\"]?(?P<word>[^'\"\s\\>|;&$`]{2,80})(?:\\n)?['\"]?\s*>"
)
_FORBIDDEN = re.compile(r"\b(?:do not|don't|never|must not)\s+(?:read|open|look|use|access|view)\b", re.IGNORECASE)
# Names that say what they are, even if no test reads them.
_PLAIN_ANSWER = re.compile(
    r"(?<![a-z])(?:(?:secret|hidden|correct|true|final)[_-]?answers?|answer[_-]?key|ground[_-]?truth)(?![a-z])",
    re.IGNORECASE,
)
_EXPECTED = re.compile(r"expected|truth|gold|oracle|reference|correct", re.IGNORECASE)
_SOLUTION_FOLDERS = re.compile(r"^(?:\./)?(?:\.\./)*(solution|tests)(?:/|$)")


def answer_findings(facts: TaskFacts) -> Iterator[LintFinding]:
    """Everything in a task that hands its answer out."""
    yield from _copied_folders(facts)
    yield from _answers_in_image(facts)
    yield from _left_in_image(facts)
    yield from _bytecode(facts)
    yield from _own_answers(facts)
    yield from _hard_coded(facts)


def _copied_folders(facts: TaskFacts) -> Iterator[LintFinding]:
    """Files of the solution or the tests that the Dockerfile copies into the image."""
    for instruction in facts.image.instructions:
        if instruction.keyword in ("COPY", "ADD") and "from" not in instruction.flags:
            for source in instruction.words[:-1]:
                found = _SOLUTION_FOLDERS.match(source)
                if found and (found[1] == "solution" or source.startswith("..")):
                    why = f"it copies {source} into the image, where the agent can read it"
                    yield LintFinding(f"{found[1]}-in-image", f"environment/Dockerfile:{instruction.line}", why)
    given, solution = facts.image.given, facts.files.solution
    names = {posixpath.basename(name) for name in given}
    changes = any(
        text not in given.values() and posixpath.basename(name) in names for name, text in solution.items()
    )
    for name, text in given.items():
        original = copied_from(text, solution)
        # A solution that brings a whole project has files in it that it doesn't change.
        if original is not None and not (changes and posixpath.basename(original) == posixpath.basename(name)):
            why = "it is a copy of a file of the solution, which the agent can read"
            yield LintFinding("solution-in-image", f"environment/{name}", why)


def _answers_in_image(facts: TaskFacts) -> Iterator[LintFinding]:
    """Files of the image that tests compare with, and that the instruction keeps quiet about."""
    seen: set[str] = set()
    for place in facts.places:
        path = place.path
        if path in seen or place.mention.use is not Use.READ or not _could_be_answer(facts, place):
            continue
        where = facts.image.makes(path)
        if where is not None:
            seen.add(path)
            why = (
                f"the tests compare with {path}, which is in the image ({where}): the agent can read and change it"
            )
            yield LintFinding("answer-in-image", place.at, why)


def _left_in_image(facts: TaskFacts) -> Iterator[LintFinding]:
    """Files with the name of an answer that the Dockerfile writes or copies, and nobody talks about."""
    for instruction in facts.image.instructions:
        written = re.findall(r">\s*(/[\w./+@-]+)", instruction.text) if instruction.keyword == "RUN" else []
        copied = instruction.words[-1:] if instruction.keyword in ("COPY", "ADD") else []
        for path in (*written, *copied):
            name = posixpath.basename(path)
            words = re.split(r"[^a-z]+", posixpath.splitext(name)[0].lower())
            told = " ".join(word for word in words if word) in re.sub(
                r"[^a-z]+", " ", facts.files.instruction.lower()
            )
            if _PLAIN_ANSWER.search(name) and not told and name not in facts.image.removed():
                why = f"it leaves {path} in the image, where the agent can read it"
                yield LintFinding("answer-in-image", f"environment/Dockerfile:{instruction.line}", why)


def _could_be_answer(facts: TaskFacts, place: MentionPlace) -> bool:
    path, name = place.path, posixpath.basename(place.path)
    if (
        not path.startswith("/")
        or not (is_file(path) or name.startswith("."))
        or is_below(path, "/tests", "/solution", "/logs")
    ):
        return False
    if name.lower() in facts.files.instruction.lower():
        return ANSWER.search(name) is not None and _FORBIDDEN.search(facts.files.instruction) is not None
    copied = any(
        re.search(rf"\bcp\s{{1,9}}(?:-\S{{1,30}}\s{{1,9}}){{0,5}}{re.escape(path)}\s", text)
        for text in facts.files.solution.values()
    )
    told = _EXPECTED.search(place.mention.name) is not None and not facts.instructed_folder(path)
    return copied or told or ANSWER.search(name) is not None


def _bytecode(facts: TaskFacts) -> Iterator[LintFinding]:
    """Compiled Python without its source, which was taken away for a reason."""
    removed = facts.image.removed()
    for name in facts.files.environment:
        if name.endswith(".pyc"):
            source = f"{posixpath.basename(name).partition('.')[0]}.py"
            beside = posixpath.join(posixpath.dirname(posixpath.dirname(name)), source)
            if source in removed or beside not in facts.files.environment:
                why = f"it is compiled from {source}, which isn't kept; it can be turned into source again"
                yield LintFinding("bytecode-in-image", f"environment/{name}", why)


def _own_answers(facts: TaskFacts) -> Iterator[LintFinding]:
    """Comparisons of one of the agent's files with another one of its files."""
    agents = {place.path for place in facts.outputs()}
    for file, one in facts.comparisons:
        sides = [paths for paths in one.paths if paths and paths <= agents]
        if len(sides) < 2 or sides[0] == sides[1]:
            continue
        for names, paths in zip(one.names, one.paths, strict=True):
            expected = any(ANSWER.search(word) for word in (*names, *map(posixpath.basename, paths)))
            if expected and not any(posixpath.basename(path) in facts.files.instruction for path in paths):
                why = f"the expected value is read from {min(paths)}, which only the agent writes"
                yield LintFinding("answer-by-agent", f"tests/{file}:{one.line}", why)
                break


def _hard_coded(facts: TaskFacts) -> Iterator[LintFinding]:
    """A solution that writes the words that tests compare with, though nothing in the task leads to them."""
    wanted = {word.strip() for _, one in facts.comparisons for word in one.literals}
    for name, text in facts.files.solution.items():
        for number, line in enumerate(text.splitlines(), start=1):
            found = _WRITES_A_WORD.search(line)
            word = found["word"] if found else ""
            # A number may be computed from anything.
            parts = [part for part in re.split(r"[\W\d]+", word) if part]
            known = all(part in facts.files.instruction or facts.image.mentions(part) for part in parts)
            if word in wanted and not known:
                why = f"it writes {word}, which the tests compare with, but nothing the agent gets leads to it"
                yield LintFinding("hard-coded-answer", f"solution/{name}:{number}", why)


def grader_findings(facts: TaskFacts) -> Iterator[LintFinding]:
    """Programs of the image that decide the reward, or that look like those of the tests."""
    yield from _graders(facts)
    root = not facts.image.changes_user and not facts.files.agent_is_ordinary
    for path, line in facts.image.hidden():
        name = posixpath.basename(path)
        if root and (CHECKER.search(name) or ANSWER.search(name)):
            why = f"the agent is root, so the mode of {path} keeps nothing from it"
            yield LintFinding("mode-no-guard", f"environment/Dockerfile:{line}", why)
    own = {posixpath.basename(name): name for name in facts.files.tests}
    for name, text in facts.files.environment.items():
        base = posixpath.basename(name)
        if (
            base in own
            and CHECKER.search(base)
            and not facts.instructed(base)
            and text != facts.files.tests[own[base]]
        ):
            why = f"the agent gets a file with the name of tests/{own[base]}, which belongs to the verifier"
            yield LintFinding("grader-twin", f"environment/{name}", why)


def _graders(facts: TaskFacts) -> Iterator[LintFinding]:
    """Checkers of the image that the tests run, unless other tests demand something without them."""
    independent = any(
        place.mention.use is Use.READ
        and place.path.startswith("/")
        and not is_below(place.path, "/tests", "/logs", "/tmp")  # noqa: S108
        for place in facts.places
        if place.file.endswith(".py")
    )
    for place in facts.places:
        path = place.path
        if (
            (
                place.mention.use is Use.RUN
                and CHECKER.search(posixpath.basename(path))
                and not facts.instructed(path)
            )
            and not independent
            and not is_below(path, "/tests")
            and facts.image.makes(path) is not None
        ):
            why = f"{path} decides the reward, but it is in the image, where the agent can change it"
            yield LintFinding("grader-in-image", place.at, why)
