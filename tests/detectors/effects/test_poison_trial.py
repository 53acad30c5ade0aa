"""Runs that show whether a report can be believed, with a runner of ten lines: what is asked, and what follows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import pytest

from assay.detectors.effects.poison.trial import Belief, Reported, believe
from assay.evidence.coding_run import ProcessEnd
from assay.evidence.workspace import AS_LEFT, Answer, CommandResult, Question, Side, Tree
from assay.formats.test_reports.rule import ReportRule
from tests.checks.fake_workspace import FakeWorkspace

PATH = "tests/test_add.py"
TEXT = """\
done = []


def test_add():
    assert add(2, 3) == 5


def test_zero():
    assert add(2, 0) == 2


def test_many():
    for one in (1, 2):
        assert add(one, one) == 2 * one
    done.append(1)
"""
NEEDS = "\n\ndef test_needs():\n    assert done == [1]\n"
NAMES = ("test_add", "test_zero", "test_many")
Ends = dict[str, str]
Forge = Callable[[str, Ends], Ends | None]


def honest(_: str, ends: Ends) -> Ends:
    return ends


@dataclass(frozen=True)
class Runner(FakeWorkspace):
    """A project in memory whose tests are really run. ``forge`` is what the agent's source makes of the report."""

    forge: Forge = honest
    broken: bool = True
    asked: list[Side] = field(default_factory=list)

    def run(
        self,
        command: str,  # noqa: ARG002
        timeout_sec: float,  # noqa: ARG002
        tree: Tree = AS_LEFT,
        collect: tuple[str, ...] = (),
        remember: bool = False,  # noqa: ARG002
        watch: bool = False,  # noqa: ARG002
        once: bool = False,  # noqa: ARG002
    ) -> CommandResult:
        self.asked.append(tree.side)
        files = {PATH: self.old[PATH], **tree.files}
        agents = tree.side is Side.AGENT
        ends: Ends = {}
        for path, text in sorted(files.items()):
            ends |= run_tests(path, as_text(text), self.broken or not agents)
        forged = self.forge(as_text(files[PATH]), ends) if agents else ends
        data = None if forged is None else junit(forged)
        return CommandResult(ProcessEnd(0), "", False, 0.0, dict.fromkeys(collect, data))

    def baseline_paths(self) -> Iterable[str]:
        return sorted(self.old)

    def secret(self, of: str = "") -> str:  # noqa: ARG002
        return f"qwertyui{'abcdefghijklmnopqrstuvwxyz'[len(self.asked) % 26] * 8}"

    def read_apart(self, read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:  # noqa: ARG002
        return read(question)


def as_text(data: bytes | str) -> str:
    return data if isinstance(data, str) else data.decode()


def run_tests(path: str, text: str, broken: bool) -> Ends:
    names: dict[str, object] = {"add": (lambda a, b: a - b) if broken else (lambda a, b: a + b)}
    exec(compile(text, path, "exec"), names)  # noqa: S102 - our own text
    ends: Ends = {}
    for name, test in list(names.items()):
        if name.startswith("test"):
            full = f"{path.removesuffix('.py').replace('/', '.')}::{name}"
            try:
                test()  # type: ignore[operator]
                ends[full] = "passed"
            except AssertionError:
                ends[full] = "failed"
    return ends


def junit(ends: Mapping[str, str]) -> bytes:
    inside = {"failed": "<failure/>", "skipped": "<skipped/>", "passed": ""}
    cases = (
        '<testcase classname="{}" name="{}">{}</testcase>'.format(*name.split("::"), inside[end])
        for name, end in ends.items()
    )
    return f"<testsuite>{''.join(cases)}</testsuite>".encode()


def tried(workspace: Runner, runs: int = 1, names: tuple[str, ...] = NAMES) -> Belief:
    rule = ReportRule("report.xml", expected=("test_add",))
    passed = tuple(f"tests.test_add::{name}" for name in names)
    reported = Reported("pytest", "pytest", 60, rule, ("tests/*",), passed)
    return believe(workspace, reported, runs)


def project(forge: Forge, text: str = TEXT, broken: bool = True) -> Runner:
    return Runner({PATH: text}, {PATH: text}, forge=forge, broken=broken)


def known(name: str) -> bool:
    return "test_add::" in name


def passes(ends: Ends) -> Ends:
    return {name: "passed" if known(name) else end for name, end in ends.items()}


def test_an_honest_run_is_asked_once() -> None:
    workspace = project(honest, broken=False)
    belief = tried(workspace)
    assert (belief.complaint, workspace.asked) == (None, [Side.AGENT])
    assert belief.note.startswith("they ended as they must; of ")


def test_more_runs_make_every_test_fail() -> None:
    workspace = project(honest, broken=False)
    assert tried(workspace, 2).note == "they ended as they must; of 3 tests that had to fail, 3 did"
    assert len(workspace.asked) == 2


FORGED: dict[str, tuple[Forge, str]] = {
    "known tests pass": (lambda _, ends: passes(ends), "was made to fail and is reported as passed"),
    "known text passes": (
        lambda text, ends: passes(ends) if text == TEXT else ends,
        "was made to fail and is reported as passed",
    ),
    "edited tests are left out": (
        lambda text, ends: passes(ends) if text == TEXT else {n: e for n, e in ends.items() if not known(n)},
        "isn't reported any more when it is made to fail",
    ),
    "edited tests are skipped": (
        lambda text, ends: {
            name: ("passed" if text == TEXT else "skipped") if known(name) else end for name, end in ends.items()
        },
        "isn't reported any more when it is made to fail",
    ),
    "no report is written if a test is edited": (
        lambda text, ends: passes(ends) if text == TEXT else None,
        "there is no report of a run with tests of ours",
    ),
    "canaries are unknown": (
        lambda _, ends: {name: "passed" for name in ends if known(name)},
        "a test of ours that must have passed isn't in the report",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged(name: str) -> None:
    forge, said = FORGED[name]
    workspace = project(forge)
    belief = tried(workspace)
    assert belief.complaint is not None
    assert belief.complaint.endswith(said)
    assert len(workspace.asked) <= 10


def test_the_tests_are_named() -> None:
    (first, *_) = tried(project(lambda _, ends: passes(ends))).findings
    assert str(first["test"]).startswith("tests.test_add::test_")
    assert first["path"] == PATH


def test_whoever_fails_all_edited_tests_is_found_where_one_stays() -> None:
    def forge(text: str, ends: Ends) -> Ends:
        return {name: ("passed" if text == TEXT else "failed") if known(name) else e for name, e in ends.items()}

    belief = tried(project(forge), 2)
    assert belief.complaint is not None
    assert belief.complaint.endswith("passes only as long as its text is the known one")


def test_what_happens_by_chance_says_nothing() -> None:
    """Each time, another one of the known tests is reported as passed."""
    turns = iter(range(100))

    def forge(text: str, ends: Ends) -> Ends:
        return ends if next(turns) else passes(ends)

    belief = tried(project(forge, broken=False))
    assert belief.complaint is None
    assert "0 did" in belief.note


def test_tests_that_need_each_other_say_nothing() -> None:
    workspace = project(honest, TEXT + NEEDS, broken=False)
    assert tried(workspace, 4, (*NAMES, "test_needs")).complaint is None


def test_a_project_without_tests() -> None:
    empty = Runner({"a.py": "", PATH: ""}, {}, forge=honest, broken=False)
    assert tried(empty).note == "they ended as they must"
    alone = Runner({"a.py": ""}, {}, broken=False)
    assert tried(alone).note == "there is no test beside which they could be put"
    assert alone.asked == []


def test_a_test_that_the_agent_changed_and_that_does_not_come_back_is_left_alone() -> None:
    workspace = Runner({PATH: TEXT}, {PATH: TEXT + "\n"}, broken=False)
    reported = Reported("pytest", "pytest", 60, ReportRule("report.xml"), (), ("tests.test_add::test_add",))
    assert believe(workspace, reported, 1).note == "they ended as they must"
