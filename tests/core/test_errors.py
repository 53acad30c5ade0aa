"""Every error reaches another process with its text and its fields: one that can't would break a whole pool."""

import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import assay
from assay import harbor
from assay.core.errors import AssayError
from assay.dialects.evaluation.ingest import Ingested
from assay.dialects.evaluation.models import EvaluationResult, ValidityCheck
from assay.dialects.harbor.errors import RewardFileRefusedError
from assay.engine.run.trial_record import Verified
from assay.engine.sandbox import Ran
from assay.evidence.coding_run import ProcessEnd
from assay.evidence.files import Refusal, Refused

NOW = datetime(2026, 1, 2, tzinfo=UTC)
VERIFIED = Verified(
    ran=Ran(ProcessEnd(exit_code=1), b"out", False, NOW, NOW),
    rewards=None,
    failure=None,
    ingested=Ingested(
        EvaluationResult(
            reward=0.0,
            validity=ValidityCheck(output_parseable=True, schema_valid=True, verifier_completed=False),
        ),
        "harbor_reward_missing",
    ),
    hashes={"output": None},
)
# A value for what an error is made of, by the name of the argument.
GIVEN: Mapping[str, Any] = {
    "refused": Refused("/v/reward.txt", Refusal.LINK),
    "verified": VERIFIED,
    "details": {"where": ["here"]},
    "position": 3,
    "status": 404,
    "network": True,
}
MIGRATIONS = "assay.adapters.store.migrations"


def kinds(base: type[AssayError] = AssayError) -> Iterator[type[AssayError]]:
    yield base
    for kind in base.__subclasses__():
        yield from kinds(kind)


for module in pkgutil.walk_packages(assay.__path__, "assay."):
    if not module.name.startswith(MIGRATIONS) and not module.name.endswith("_child"):
        importlib.import_module(module.name)
KINDS = sorted({kind for kind in kinds() if kind.__module__.startswith("assay.")}, key=lambda kind: kind.__name__)


def made(kind: type[AssayError]) -> AssayError:
    """An error of this kind, made of something for each argument."""
    if not isinstance(kind.__init__, FunctionType):
        return kind(f"the sentence of {kind.__name__}")
    asked = inspect.signature(kind).parameters.values()
    values = {one.name: GIVEN.get(one.name, f"the {one.name}") for one in asked}
    named = {one.name for one in asked if one.kind is one.KEYWORD_ONLY}
    return kind(*[v for n, v in values.items() if n not in named], **{n: values[n] for n in named})


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_survives_pickle(kind: type[AssayError]) -> None:
    error = made(kind)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(error, protocol))  # noqa: S301 - our own
        assert type(again) is kind
        assert (str(again), again.args) == (str(error), error.args)
        assert vars(again) == vars(error)


def test_an_error_of_a_later_author_survives_too() -> None:
    error = LaterError("here", hint="there")
    error.add_note("seen on Monday")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (str(again), again.place, again.hint, again.__notes__) == (
        str(error),
        "here",
        "there",
        ["seen on Monday"],
    )


class LaterError(AssayError):
    """An error with fields and an ``__init__`` of its own."""

    def __init__(self, place: str, *, hint: str) -> None:
        self.place = place
        self.hint = hint
        super().__init__(f"nothing is at {place}; try {hint}")


def test_every_kind_with_fields_is_among_them() -> None:
    assert RewardFileRefusedError in KINDS
    assert len(KINDS) > 20


def read(folder: str) -> object:
    return harbor.read_rewards(folder).rewards


def test_a_link_in_one_agents_folder_costs_nobody_else_an_answer(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(10)]
    for folder in folders:
        folder.mkdir()
        (folder / "reward.txt").write_text("1")
    (folders[3] / "reward.txt").unlink()
    (folders[3] / "reward.txt").symlink_to("/etc/passwd")
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        waiting = [pool.submit(read, str(folder)) for folder in folders]
        with pytest.raises(RewardFileRefusedError, match="link"):
            waiting.pop(3).result()
        assert [one.result() for one in waiting] == [{"reward": 1.0}] * 9
