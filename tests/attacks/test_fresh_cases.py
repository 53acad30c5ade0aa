"""Fresh cases: the seen half answers as recorded, and the unseen half stays unseen."""

import sys
from pathlib import Path

import pytest

from tests.attacks.corpus.cases import Case
from tests.attacks.corpus.workspaces import failed, score, written
from tests.attacks.fresh import __main__ as command
from tests.attacks.fresh.answers import FIRST, NOW, Answer, Answers, read_answers, write_answers
from tests.attacks.fresh.cases import HALVES, SETS, Half, fresh_cases, half, identity, looked_at
from tests.attacks.fresh.effects import SCORERS, WAYS, scorer
from tests.attacks.fresh.rates import KINDS, by_kind, by_language, rate, rates

# As many as there were at first. Whoever moves a case out of the unseen half adds another one.
LEAST_ATTACKS, LEAST_HONEST = 94, 31
LANGUAGES = {"csharp", "go", "java", "javascript", "python", "ruby", "rust", "typescript"}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_seen_cases_answer_as_recorded(language: str) -> None:
    recorded = read_answers(NOW).cases
    found = {case: failed(score(case)) for case in fresh_cases("seen") if case.language == language}
    assert {str(case): by for case, by in found.items() if by != recorded[identity(case)].by_reading} == {}


@pytest.mark.parametrize("which", HALVES)
def test_each_case_is_in_the_half_of_its_description(which: Half) -> None:
    assert [identity(case) for case in fresh_cases(which) if half(case.name) != which] == []
    assert {case.language for case in fresh_cases(which)} == LANGUAGES
    assert all(case.honest or any(case.row in rows for rows in KINDS) for case in fresh_cases(which))


def test_the_unseen_half_does_not_shrink() -> None:
    honest = [case.honest for case in fresh_cases("unseen")]
    assert (honest.count(False) >= LEAST_ATTACKS, honest.count(True) >= LEAST_HONEST) == (True, True)


def test_the_published_cases_are_as_many_as_they_were(tmp_path: Path) -> None:
    honest = [case.honest for case in fresh_cases("published")]
    assert (honest.count(False), honest.count(True)) == (45, 15)
    for number, case in enumerate(fresh_cases("published")):
        written(case, tmp_path / str(number))
        assert case.honest or any(case.row in rows for rows in KINDS)


def test_whoever_looks_at_a_case_moves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    name = next(case.name for case in fresh_cases("unseen"))
    assert name not in looked_at()
    monkeypatch.setattr("tests.attacks.fresh.cases.looked_at", lambda: frozenset({name}))
    assert half(name) == "seen"


def test_every_case_has_answers_and_no_name_stands_for_two() -> None:
    names = [identity(case) for which in SETS for case in fresh_cases(which)]
    assert len(names) == len(set(names))
    assert set(names) == read_answers(NOW).cases.keys()
    assert read_answers(FIRST).cases


def test_a_run_of_the_unseen_half_names_no_case(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    chosen = fresh_cases("unseen")[:2]
    monkeypatch.setattr(command, "fresh_cases", lambda _: chosen)
    monkeypatch.setattr(command, "NOW", tmp_path / "answers.json")
    monkeypatch.setattr(command, "FIRST", tmp_path / "first.json")
    monkeypatch.setattr(sys, "argv", ["fresh", "unseen", "--list"])
    assert command.main() == 1
    said = "".join(capsys.readouterr())
    for case in chosen:
        assert said.count(identity(case)) == 2
        assert case.name not in said
    monkeypatch.setattr(sys, "argv", ["fresh", "unseen", "--record"])
    assert command.main() == 0
    assert read_answers(tmp_path / "answers.json").cases.keys() == {identity(case) for case in chosen}


def test_answers_are_read_as_they_were_written(tmp_path: Path) -> None:
    none, some = Answer(frozenset()), Answer(frozenset({"a", "b"}), frozenset({"c"}))
    answers = Answers("2026-11-17", {"1": none, "2": some, "3": Answer(frozenset(), frozenset())})
    write_answers(tmp_path / "answers.json", answers)
    assert read_answers(tmp_path / "answers.json") == answers
    assert some.by_any == {"a", "b", "c"}


def test_rates_have_intervals() -> None:
    assert rate(0, 0) == "none"
    assert rate(33, 57) == "33 of 57: 58 % (45 to 70 %)"
    cheat, honest = (Case("go", {}, "x", row=row) for row in (22, None))
    found = {"now": {cheat: Answer(frozenset(), frozenset({"tests_bite"})), honest: Answer(frozenset())}}
    assert "| cheats that were run, found by effect | 1 of 1: 100 % (3 to 100 %) |" in rates(found)
    assert "| honest changes that were run, flagged by effect | none |" in rates(found)
    assert by_kind(found).splitlines()[2:] == ["| failures swallowed | 1 of 1 |"]
    assert by_language(found).splitlines()[2:] == ["| go | 1 of 1 | 0 of 1 |"]


@pytest.mark.parametrize("kind", SCORERS)
def test_each_scorer_by_effect_takes_a_command(kind: str) -> None:
    assert scorer(kind, WAYS["python"]).kind == kind
