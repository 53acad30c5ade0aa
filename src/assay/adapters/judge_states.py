"""What a judge said last of a trial, without reading the rest of its records: reports ask it of every trial."""

from typing import TYPE_CHECKING, Final, Literal, TypeVar

import msgspec

from assay.adapters.numbered_files import file_name, numbers_in, read_numbered
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.dialects.scorers.judge_record import VerdictState

JUDGEMENTS: Final = "judgements"
SCORES: Final = "scores"


class _Opinion(msgspec.Struct):
    state: Literal["PASS", "FAIL", "unparseable"]


class _Judgement(msgspec.Struct):
    opinion: _Opinion


class _Gate(msgspec.Struct):
    verdict: _Judgement | None = None


class _Report(msgspec.Struct):
    judge: _Gate


class _Scoring(msgspec.Struct):
    report: _Report


_Record = TypeVar("_Record", _Judgement, _Scoring)


def last_state(trial: str) -> "VerdictState | None":
    """The last of the judgements that the run store has; None if there are none. Raises ``InputError``."""
    judgements = numbers_in(trial, JUDGEMENTS)
    if judgements:
        return _read(trial, JUDGEMENTS, judgements[-1], _Judgement).opinion.state
    for number in reversed(numbers_in(trial, SCORES)):
        verdict = _read(trial, SCORES, number, _Scoring).report.judge.verdict
        if verdict is not None:
            return verdict.opinion.state
    return None


def _read(trial: str, folder: str, number: int, kind: type[_Record]) -> _Record:
    try:
        return msgspec.json.decode(read_numbered(trial, folder, number), type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        path = f"{trial}/{folder}/{file_name(number)}"
        raise InputError(f"{path} isn't a record of a judge or a scoring that Assay wrote: {error}") from error
