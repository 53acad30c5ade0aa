"""How often a verdict flips if the same run is judged several times, as it is and in other words."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assay.engine.judge_run import VerdictJudge
from assay.engine.judge_stored import JudgedCase
from assay.judge.variations import FORMS, REORDERED


@dataclass(frozen=True, slots=True)
class FormAnswers:
    """What was said about one run in one form: a state for each time."""

    place: str
    form: str
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flips:
    """Of so many verdicts, how many differ from what most say about their run; unparseable ones are apart."""

    flipped: int
    verdicts: int
    unparseable: int

    @property
    def share(self) -> float | None:
        return self.flipped / self.verdicts if self.verdicts else None


@dataclass(frozen=True, slots=True)
class Stability:
    """All answers, and how often they flip by form and in all."""

    answers: tuple[FormAnswers, ...]
    by_form: dict[str, Flips]
    overall: Flips
    unstable: tuple[str, ...]


def stability(runs: Sequence[JudgedCase], judge_of: Callable[[JudgedCase], VerdictJudge], times: int) -> Stability:
    """Judge each run so many times in each form."""
    answers = tuple(_asked(run, form, judge_of(run), times) for run in runs for form in FORMS)
    usual = {run.place: _usual([one for one in answers if one.place == run.place]) for run in runs}
    by_form = {form: _flips([one for one in answers if one.form == form], usual) for form in FORMS}
    unstable = tuple(place for place in usual if _flips([a for a in answers if a.place == place], usual).flipped)
    return Stability(answers, by_form, _flips(answers, usual), unstable)


def _asked(run: JudgedCase, form: str, judge: VerdictJudge, times: int) -> FormAnswers:
    setting = replace(judge.setting, samples=times, reverse=form == REORDERED, guard_prompt=None)
    verdict = replace(judge, setting=setting)(FORMS[form](run.run))
    return FormAnswers(run.place, form, tuple(one.opinion.state for one in verdict.answers))


def _usual(answers: Sequence[FormAnswers]) -> str | None:
    """What is said most often; what the run as it is gets first, where two are as often."""
    said = Counter(state for one in answers for state in one.states if state != "unparseable")
    return said.most_common(1)[0][0] if said else None


def _flips(answers: Sequence[FormAnswers], usual: dict[str, str | None]) -> Flips:
    said = [(one.place, state) for one in answers for state in one.states]
    verdicts = [(place, state) for place, state in said if state != "unparseable"]
    return Flips(sum(state != usual[place] for place, state in verdicts), len(verdicts), len(said) - len(verdicts))
