"""Score inside a git repository without any configuration: compare with the main branch, guess, and tell it."""

from collections.abc import Callable
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.dialects.scorers.report import ScorersReport
from assay.dialects.scorers.scenario import Scenario
from assay.engine.guess_scenario import Guess, Project, Tools, guess_scenario
from assay.engine.repository_ends import Ends, Wanted, ends_of
from assay.engine.repository_port import Repository
from assay.engine.score_coding_run import (
    NOTHING,
    Afterwards,
    Candidate,
    Commit,
    Files,
    ScoringFiles,
    score_against,
)
from assay.evidence.baseline import KnownBaseline

# Where a repository may keep its scenario. It counts as the main branch has it.
SCENARIO_FILES = ("assay.yaml", "assay.yml", "assay.toml", "assay.json")
HINT = "nothing more; 'assay scenario init' writes this down as a scenario"


@dataclass(frozen=True, slots=True)
class Rules:
    """How a repository is scored: a scenario that the user names, and the means to read or guess one."""

    given: str | None
    parse: Callable[[str, bytes], Scenario]
    tools: Tools


def score_repository(
    repository: Repository,
    wanted: Wanted,
    rules: Rules,
    attempt: Candidate,
    files: ScoringFiles,
    then: Afterwards = NOTHING,
) -> ScorersReport:
    """Score a working tree, a branch or a pull request against the main branch."""
    ends = ends_of(repository, wanted)
    with files.open_baseline(Commit(repository.folder, ends.before)) as before:
        found, origin = _scenario(before, rules, files)
        scenario = _in_place(found.scenario, repository.root)
        left = Files(repository.root) if ends.after is None else Commit(repository.folder, ends.after)
        told = [ends.told, *found.told]
        return score_against(scenario, origin, left, before, attempt, files, assumed=told, ends=then)


def guess_for(repository: Repository, wanted: Wanted, tools: Tools, files: ScoringFiles) -> tuple[Guess, Ends]:
    """What would be guessed, for somebody who wants to write it down."""
    ends = ends_of(repository, wanted)
    with files.open_baseline(Commit(repository.folder, ends.before)) as before:
        return guess_scenario(_project(before), tools), ends


def _scenario(before: KnownBaseline, rules: Rules, files: ScoringFiles) -> tuple[Guess, str]:
    """The scenario that the user names, that of the main branch, or a guess; and how errors name it."""
    if rules.given is not None:
        return Guess(files.load_scenario(rules.given), ()), rules.given
    for name in SCENARIO_FILES:
        data = before.baseline.read(name) if before.baseline.entry(name) is not None else None
        if data is not None:
            return Guess(rules.parse(name, data), (f"the scenario is {name} of the baseline",)), name
    guess = guess_scenario(_project(before), rules.tools)
    return Guess(guess.scenario, (*guess.told, HINT)), "the guessed scenario"


def _project(before: KnownBaseline) -> Project:
    return Project(tuple(before.baseline.paths()), before.baseline.read)


def _in_place(scenario: Scenario, root: str) -> Scenario:
    """Commands find the workspace where the repository is, because installed packages may refer to that place."""
    if "workdir" in scenario.model_fields_set:
        return scenario
    if root.count("/") < 1 or root == "/":
        raise InputError("a repository can't be the root of the file system")
    return scenario.model_copy(update={"workdir": root})
