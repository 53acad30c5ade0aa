"""The evaluation of one run as a whole: its grading, and what reviewers and others added since."""

from collections.abc import Sequence

from assay.dialects.evaluation.ingest import Ingested
from assay.dialects.evaluation.models import AddedTag, Annotation, EvaluationResult, Grading
from assay.dialects.evaluation.steps import StepResult, result_of_steps, with_reviews
from assay.engine.jobs.trial_additions import History


def whole_result(history: History, used: str, *, final: bool = False) -> Ingested | None:
    """The result of the first or the latest grading, all steps together; None if there is no grading.

    ``final`` is for records from before there was a grading of the whole: whether only the last step counts.
    """
    whole = history.whole(used)
    if whole is not None:
        return Ingested(whole.result, whole.reason_code)
    shown = history.used(used)
    steps = [StepResult(one.step or "", one.result, one.reason_code) for one in shown]
    return result_of_steps(steps, final=final) if steps else None


def reviewed_result(history: History, used: str) -> EvaluationResult | None:
    """The result of the first or the latest grading, with annotations and tags; None if there is no grading."""
    found = whole_result(history, used)
    return None if found is None else with_reviews(found.result, history.annotations, history.tags)


def reviewed_gradings(
    gradings: Sequence[Grading], annotations: Sequence[Annotation], tags: Sequence[AddedTag]
) -> list[Grading]:
    """The gradings of a run, each with the annotations and tags that the run has now."""
    return [one.model_copy(update={"result": with_reviews(one.result, annotations, tags)}) for one in gradings]
