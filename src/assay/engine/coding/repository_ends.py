"""Inside a git repository: which state is scored, and which one it is compared with."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from assay.core.errors import InputError
from assay.dialects.scorers.report import ScorersReport
from assay.dialects.scorers.scenario import PYPROJECT, Scenario
from assay.engine.coding.guess_scenario import Depth, Guess, guess_scenario
from assay.engine.coding.guess_tests import Project, Tools
from assay.engine.coding.score_coding_run import (
    NOTHING,
    Afterwards,
    Candidate,
    Commit,
    Files,
    Patch,
    ScoringFiles,
    is_patch,
    score_against,
)
from assay.evidence.workspace import KnownBaseline

MAIN_BRANCHES = ("main", "master", "trunk", "develop")
SHORT = 10
_BRANCHES = ("heads", "remotes", "remotes/origin")
# Where people and programs fetch pull requests to.
_PULL_REQUESTS = ("pull/{}/head", "remotes/origin/pr/{}", "remotes/origin/pull/{}/head", "remotes/pull/{}/head")
# Where a repository may keep its scenario. It counts as the main branch has it.
SCENARIO_FILES = ("assay.yaml", "assay.yml", "assay.toml", "assay.json", PYPROJECT)
HINT = "nothing more; 'assay init' writes this down as a scenario"


class Repository(Protocol):
    """A repository that is only read. Nothing in it is run, and its configuration isn't looked at."""

    @property
    def folder(self) -> str:
        """A repository from which its commits can be exported."""

    @property
    def root(self) -> str:
        """The folder of the working tree."""

    @property
    def references(self) -> Mapping[str, str]:
        """The commits by the full names of branches, and HEAD."""

    @property
    def head(self) -> str | None:
        """The full name of the branch that is checked out, or a commit."""

    def merge_base(self, commit: str, *others: str) -> str | None:
        """The newest commit that a commit has in common with some others; None if there is none."""

    def file(self, commit: str, path: str) -> bytes | None:
        """A file at the top of a commit; None if there is none."""


@dataclass(frozen=True, slots=True)
class WantedEnds:
    """The change to score: a branch, a pull request by its number, else the working tree."""

    branch: str | None = None
    pull_request: int | None = None
    main: str | None = None


@dataclass(frozen=True, slots=True)
class Ends:
    """The commit to score, None for the working tree; the commit to compare with; and both in words.

    ``rules`` is the tip of the main branch, and ``main`` its name: a scenario counts as it is there now, not as it
    was when the branch left.
    """

    after: str | None
    before: str
    told: str
    rules: str
    main: str


def ends_of(repository: Repository, wanted: WantedEnds) -> Ends:
    """Both ends of the comparison. Raises ``InputError`` if they can't be found."""
    after, what = _scored_end(repository, wanted)
    current = after or repository.references.get("HEAD")
    if current is None:
        raise InputError(f"{repository.root} has no commit yet, so there is nothing to compare with")
    names = _main_names(repository, wanted)
    others = [repository.references[name] for name in names]
    if not others:
        # A repository with one branch of another name: only what isn't committed can be new.
        return Ends(
            after, current, f"{what} against its last commit {current[:SHORT]}", current, "the last commit"
        )
    base = repository.merge_base(current, *others)
    if base is None:
        raise InputError(
            f"{what} and {_short(names[0])} must have a commit in common, but they have none; in a shallow clone,"
            " fetch the whole history (git fetch --unshallow)"
        )
    told = f"{what} against {_short(names[0])} (merge base {base[:SHORT]})"
    return Ends(after, base, told, others[0], _short(names[0]))


def _scored_end(repository: Repository, wanted: WantedEnds) -> tuple[str | None, str]:
    if wanted.branch is not None:
        found = _first(repository, [f"refs/{place}/{wanted.branch}" for place in _BRANCHES])
        if found is None:
            raise InputError(f"--branch must name a branch of {repository.root}, got {wanted.branch!r}")
        return found, f"the branch {wanted.branch}"
    if wanted.pull_request is not None:
        number = wanted.pull_request
        found = _first(repository, [f"refs/{place.format(number)}" for place in _PULL_REQUESTS])
        if found is None:
            fetch = f"git fetch origin pull/{number}/head:refs/pull/{number}/head"
            raise InputError(f"pull request {number} isn't in {repository.root} yet; fetch it first: {fetch}")
        return found, f"pull request {number}"
    return None, "the working tree"


def _main_names(repository: Repository, wanted: WantedEnds) -> list[str]:
    """The full names of the main branch, here and at the remote, without the branch that is scored."""
    if wanted.main is not None:
        names = [f"refs/heads/{wanted.main}", f"refs/remotes/origin/{wanted.main}", f"refs/remotes/{wanted.main}"]
        found = [name for name in names if name in repository.references]
        if not found:
            raise InputError(f"--main must name a branch of {repository.root}, got {wanted.main!r}")
        return found
    remote = [name for name in ("refs/remotes/origin/HEAD",) if name in repository.references]
    for branch in MAIN_BRANCHES:
        names = [f"refs/heads/{branch}", f"refs/remotes/origin/{branch}"]
        found = [name for name in names if name in repository.references]
        if found:
            return _unless_scored(repository, wanted, [*found, *remote])
    return _unless_scored(repository, wanted, remote)


def _unless_scored(repository: Repository, wanted: WantedEnds, names: list[str]) -> list[str]:
    """On the main branch itself, its commits are compared with those at the remote."""
    scored = f"refs/heads/{wanted.branch}" if wanted.branch is not None else repository.head
    if wanted.pull_request is not None:
        return names
    others = [name for name in names if name != scored]
    return others or names


def _first(repository: Repository, names: Iterable[str]) -> str | None:
    return next((repository.references[name] for name in names if name in repository.references), None)


def _short(name: str) -> str:
    return name.removeprefix("refs/heads/").removeprefix("refs/remotes/")


@dataclass(frozen=True, slots=True)
class Rules:
    """How a repository is scored: a scenario that the user names, and the means to read or guess one."""

    given: str | None
    parse: Callable[[str, bytes], Scenario]
    tools: Tools
    command: str | None = None
    """How the tests are run, if the user says so."""
    depth: Depth = "default"


def score_repository(
    repository: Repository,
    wanted: WantedEnds,
    rules: Rules,
    attempt: Candidate,
    files: ScoringFiles,
    then: Afterwards = NOTHING,
) -> ScorersReport:
    """Score a working tree, a branch or a pull request against the main branch."""
    ends = ends_of(repository, wanted)
    if attempt.workspace is not None and is_patch(attempt.workspace):
        ends = _for_patch(repository, attempt.workspace, ends)
    with files.open_baseline(Commit(repository.folder, ends.before)) as before:
        found, origin = _scenario(repository, ends, before, rules, files)
        scenario = _in_place(found.scenario, repository.root)
        left: Files | Commit | Patch = Files(repository.root)
        if attempt.workspace is not None and is_patch(attempt.workspace):
            left = Patch(attempt.workspace)
        elif ends.after is not None:
            left = Commit(repository.folder, ends.after)
        told = [ends.told, *found.told]
        guessed = found.guessed
        return score_against(
            scenario, origin, left, before, attempt, files, assumed=told, guessed=guessed, ends=then
        )


def _for_patch(repository: Repository, patch: str, ends: Ends) -> Ends:
    """A patch is a change of the commit that is checked out."""
    head = repository.references.get("HEAD", ends.before)
    what = "the patch on standard input" if patch == "-" else f"the patch {patch}"
    return replace(ends, before=head, told=f"{what} against the commit that is checked out ({head[:SHORT]})")


def guess_for(repository: Repository, wanted: WantedEnds, tools: Tools, files: ScoringFiles) -> tuple[Guess, Ends]:
    """The scenario that would be guessed, for somebody to write down."""
    ends = ends_of(repository, wanted)
    with files.open_baseline(Commit(repository.folder, ends.before)) as before:
        return guess_scenario(_project(before), tools), ends


def _scenario(
    repository: Repository, ends: Ends, before: KnownBaseline, rules: Rules, files: ScoringFiles
) -> tuple[Guess, str]:
    """The scenario that the user names, that of the main branch, or a guess; and how errors name it."""
    if rules.given is not None:
        return Guess(files.load_scenario(rules.given), (), guessed=False), rules.given
    for name in SCENARIO_FILES:
        data = repository.file(ends.rules, name) if rules.command is None else None
        if data is not None and (name != PYPROJECT or has_table(data)):
            told = (f"the scenario is {name} of {ends.main} ({ends.rules[:SHORT]})",)
            return Guess(rules.parse(name, data), told, guessed=False), name
    guess = guess_scenario(_project(before), rules.tools, rules.command, rules.depth)
    return Guess(guess.scenario, (*guess.told, HINT)), "the guessed scenario"


def has_table(pyproject: bytes) -> bool:
    """Whether a pyproject.toml has the table [tool.assay]. One that can't be read has none."""
    try:
        found = tomllib.loads(pyproject.decode())
    except (ValueError, RecursionError):
        return False
    return "assay" in found.get("tool", {})


def _project(before: KnownBaseline) -> Project:
    return Project(tuple(before.baseline.paths()), before.baseline.read)


def _in_place(scenario: Scenario, root: str) -> Scenario:
    """Commands find the workspace where the repository is, because installed packages may refer to that place."""
    if scenario.environment.base is None:
        there = scenario.environment.model_copy(update={"base": root})
        scenario = scenario.model_copy(update={"environment": there})
    if "workdir" in scenario.model_fields_set:
        return scenario
    if root.count("/") < 1 or root == "/":
        raise InputError("a repository can't be the root of the file system")
    return scenario.model_copy(update={"workdir": root})
