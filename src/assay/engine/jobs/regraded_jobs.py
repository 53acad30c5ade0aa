"""Jobs that grade another one again: each trial beside the trial whose output it graded."""

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from assay.dialects.harbor.rewards import Rewards
from assay.dialects.harbor.trial import GradedSource, Trial
from assay.dialects.harbor.trial_file import TrialDecoder, TrialFileError
from assay.engine.ports import JobFolder
from assay.evidence.files import Content, Refused


@dataclass(frozen=True, slots=True)
class Regrade:
    """A trial and its source: the rewards before and after. ``problem`` says why the source isn't shown."""

    trial: str
    source: str | None
    old: Rewards | None
    new: Rewards | None
    old_failure: str | None = None
    new_failure: str | None = None
    problem: str | None = None

    @property
    def changed(self) -> bool:
        return self.problem is None and (self.old, self.old_failure) != (self.new, self.new_failure)


class _Identity(msgspec.Struct):
    id: str | None = None


def read_regrades(folder: JobFolder, trials: Iterable[Trial]) -> list[Regrade]:
    """The trials that grade another one again."""
    return [_regrade(folder, trial, trial.source) for trial in trials if trial.source is not None]


def _regrade(folder: JobFolder, trial: Trial, source: GradedSource) -> Regrade:
    name = None if source.path is None else source.path.rstrip("/").rpartition("/")[2]
    found = _source(folder, source)
    if isinstance(found, str):
        return Regrade(trial.name, name, None, trial.rewards, new_failure=trial.exception_type, problem=found)
    return Regrade(
        trial.name, found.name, found.rewards, trial.rewards, found.exception_type, trial.exception_type
    )


def _source(folder: JobFolder, source: GradedSource) -> Trial | str:
    """The source, or the reason why it can't be shown."""
    if source.path is None:
        return "the source is on a hub"
    file = folder.source_result(source.path)
    if not isinstance(file, Content):
        return f"the source is {file.why.value}" if isinstance(file, Refused) else "the source is gone"
    try:
        trial = TrialDecoder().decode(file.data)
        identity = msgspec.json.decode(file.data, type=_Identity).id
    except (TrialFileError, msgspec.MsgspecError) as error:
        return f"the source can't be read: {error}"
    if source.trial_id is not None and identity is not None and identity != source.trial_id:
        return "another trial is in the source's place"
    return trial
