"""What is scored in a repository, and what it is compared with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from assay.core.errors import InputError
from assay.engine.coding.repository_ends import WantedEnds, ends_of

HEAD = {"HEAD": "head"}
MAIN, ORIGIN = "refs/heads/main", "refs/remotes/origin/main"
REMOTE = "refs/remotes/origin"
PULL = "refs/pull/7/head"
TREE = "the working tree"
WORK = "refs/heads/work"


@dataclass
class FakeRepository:
    references: Mapping[str, str]
    head: str | None = "refs/heads/work"
    root: str = "/repo"
    folder: str = "/borrowed"
    base: str | None = "base"
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def merge_base(self, commit: str, *others: str) -> str | None:
        self.asked.append((commit, *others))
        return self.base

    def file(self, commit: str, path: str) -> bytes | None:
        raise AssertionError((commit, path))


@pytest.mark.parametrize(
    ("references", "head", "wanted", "asked", "told"),
    [
        ({**HEAD, MAIN: "m"}, WORK, WantedEnds(), ("head", "m"), f"{TREE} against main"),
        ({**HEAD, MAIN: "m", ORIGIN: "o"}, WORK, WantedEnds(), ("head", "m", "o"), f"{TREE} against main"),
        ({**HEAD, MAIN: "m", ORIGIN: "o"}, MAIN, WantedEnds(), ("head", "o"), f"{TREE} against origin/main"),
        ({**HEAD, MAIN: "m"}, MAIN, WantedEnds(), ("head", "m"), f"{TREE} against main"),
        ({**HEAD, "refs/heads/master": "m"}, "x", WantedEnds(), ("head", "m"), f"{TREE} against master"),
        ({**HEAD, f"{REMOTE}/HEAD": "o"}, "x", WantedEnds(), ("head", "o"), f"{TREE} against origin/HEAD"),
        ({**HEAD, MAIN: "m", "refs/heads/a": "a"}, MAIN, WantedEnds("a"), ("a", "m"), "the branch a against main"),
        ({**HEAD, MAIN: "m", f"{REMOTE}/a": "a"}, MAIN, WantedEnds("a"), ("a", "m"), "the branch a against main"),
        ({**HEAD, MAIN: "m", PULL: "p"}, MAIN, WantedEnds(None, 7), ("p", "m"), "pull request 7 against main"),
        ({**HEAD, "refs/heads/next": "n"}, "x", WantedEnds(main="next"), ("head", "n"), f"{TREE} against next"),
    ],
)  # fmt: skip
def test_both_ends(
    references: Mapping[str, str], head: str, wanted: WantedEnds, asked: tuple[str, ...], told: str
) -> None:
    repository = FakeRepository(references, head)
    ends = ends_of(repository, wanted)
    assert (repository.asked, ends.before) == ([asked], "base")
    assert ends.told == f"{told} (merge base base)"
    assert ends.after == (None if asked[0] == "head" else asked[0])


def test_without_a_main_branch_only_what_is_not_committed_is_new() -> None:
    ends = ends_of(FakeRepository(HEAD), WantedEnds())
    assert (ends.before, ends.told) == ("head", "the working tree against its last commit head")


@pytest.mark.parametrize(
    ("repository", "wanted", "sentence"),
    [
        (FakeRepository(HEAD), WantedEnds("gone"), "--branch must name a branch of /repo, got 'gone'"),
        (
            FakeRepository(HEAD),
            WantedEnds(None, 7),
            r"fetch it first: git fetch origin pull/7/head:refs/pull/7/head",
        ),
        (FakeRepository(HEAD), WantedEnds(main="gone"), "--main must name a branch of /repo, got 'gone'"),
        (FakeRepository({}), WantedEnds(), "/repo has no commit yet"),
        (FakeRepository({**HEAD, MAIN: "m"}, base=None), WantedEnds(), "must have a commit in common"),
    ],
)
def test_what_can_not_be_compared(repository: FakeRepository, wanted: WantedEnds, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ends_of(repository, wanted)
