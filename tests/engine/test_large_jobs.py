"""Many trials are kept in a file and not in memory: every number, name and order stays the same."""

import json
import tempfile
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cli.main import main
from assay.dialects.harbor.job_stats import MAX, MEAN, MIN, SUM
from assay.dialects.harbor.plan import read_large_plan, read_plan
from assay.dialects.harbor.reward_column import RewardColumn
from assay.dialects.harbor.trial import Trial, Usage
from assay.engine.jobs import job as reading
from assay.engine.jobs.spool import Spool, joined
from assay.evidence.files import HeldBytes
from assay.formats.json_items import read_items, read_outline
from tests.builders import write_lock, write_trial
from tests.sampling import examples

DATA = Path(__file__).parent.parent / "data"
JOBS = [*(DATA / "harbor_jobs").iterdir(), *(one for one in (DATA / "harbor_versions").iterdir() if one.is_dir())]

numbers = st.one_of(st.integers(), st.floats(), st.sampled_from([0, 1, 0.0, 1.0, -0.0, 2**53 + 1, 2**64, 10**300]))
rewards = st.none() | st.dictionaries(st.sampled_from(["reward", "a", "ü", "\ud800"]), numbers, max_size=3)
trials = st.builds(
    Trial,
    st.sampled_from(["a__1", "b__2", "\udcff__3"]),
    st.text(max_size=3),
    st.just("solver"),
    rewards=rewards,
    usage=st.none() | st.builds(Usage, st.none() | st.integers(0, 2**70), cost_usd=st.none() | st.floats()),
    slot=st.lists(st.text(max_size=2), max_size=3).map(tuple),
    seconds=st.none(),
)


def scratch() -> BinaryIO:
    return tempfile.TemporaryFile(buffering=0)


def exactly(value: object) -> str:
    """Apart from floats, equal texts are equal values of the same type; NaN is like NaN."""
    return repr(value)


@examples(200)
@given(st.lists(trials, max_size=12), st.integers(0, 3), st.randoms())
def test_a_spool_gives_back_what_was_put_there_in_any_order(found: list[Trial], kept: int, chance: Any) -> None:
    spool = Spool(Trial, scratch, kept)
    for one in found:
        spool.append(one)
    assert exactly(list(spool)) == exactly(found)
    positions = list(range(len(found)))
    chance.shuffle(positions)
    ordered = spool.ordered(positions)
    assert len(ordered) == len(found)
    assert exactly(list(ordered)) == exactly([found[position] for position in positions])
    assert exactly([ordered[position] for position in range(len(found))]) == exactly(list(ordered))
    assert exactly(list(joined([ordered, found]))) == exactly([*ordered, *found])


@examples(200)
@given(st.lists(rewards, max_size=12))
def test_a_column_of_rewards_gives_back_every_number_with_its_type(found: list[Any]) -> None:
    column = RewardColumn()
    for one in found:
        column.append(one)
    assert exactly(list(column)) == exactly(found)
    assert exactly(column[2:5]) == exactly(found[2:5])
    for metric in (MEAN, MAX, MIN, SUM) if found else ():
        assert _answer(metric, column) == _answer(metric, found)


def _answer(metric: Any, found: Any) -> str:
    try:
        return exactly(metric.compute(found))
    except OverflowError as error:
        return exactly(error)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
@pytest.mark.parametrize("command", ["report", "audit"])
def test_a_job_that_is_kept_in_a_file_gives_the_same_bytes(
    job: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--by", "trial"] if command == "report" else []
    before = main([command, "--json", *options, str(job)]), capsys.readouterr()
    monkeypatch.setattr(reading, "Spool", partial(Spool, in_memory=0))
    monkeypatch.setattr(reading, "LARGE", 0)
    assert (main([command, "--json", *options, str(job)]), capsys.readouterr()) == before


def test_comparisons_and_several_jobs_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for job in ("one", "other"):
        for number in range(6):
            name, reward = f"t{number % 3}__{job}{number}", number / 7 if job == "one" else number % 2
            fields: dict[str, Any] = {"verifier_result": {"rewards": {"reward": reward}}}
            fields["agent_info"] = {"name": job}
            write_trial(tmp_path / "jobs" / job, name, **fields)
        write_lock(tmp_path / "jobs" / job, [("t2", job), ("t0", job), ("t9", job)])
    commands = [
        ["compare", "--json", f"{tmp_path}/jobs/one", f"{tmp_path}/jobs/other"],
        ["report", "--json", "--by", "task", f"{tmp_path}/jobs"],
    ]
    before = [(main(one), capsys.readouterr()) for one in commands]
    assert [code for code, _ in before] == [0, 0], before
    monkeypatch.setattr(reading, "Spool", partial(Spool, in_memory=0))
    assert [(main(one), capsys.readouterr()) for one in commands] == before


def lock(indent: int | None, **fields: Any) -> bytes:
    entry = {"task": {"name": "a}]", "path": 'x"},\n{'}, "agent": {"name": "solver", "kwargs": {"a": [{}, {}]}}}
    plan = {"schema_version": 1, "trials": [entry, entry, {**entry, "task": {"name": "b"}}]}
    return json.dumps(plan | fields, indent=indent).encode()


@pytest.mark.parametrize("indent", [2, 4])
def test_a_plan_is_read_trial_by_trial(indent: int) -> None:
    for data in (lock(indent), lock(indent, harbor={"version": "0.13.1"}, empty=[])):
        assert read_large_plan(HeldBytes(data)) == read_plan(data)


@pytest.mark.parametrize(
    "data",
    [
        lock(None),
        lock(4, others=[{"a": 1}, {"b": 2}]),
        lock(4)[:-30],
        lock(4) + lock(4),
        b"",
        b"[]",
        b'{"trials": [\n    {\n    }\n',
    ],
)
def test_a_plan_in_another_layout_is_read_as_a_whole(data: bytes) -> None:
    assert read_large_plan(HeldBytes(data)) is None


def test_items_are_found_across_the_borders_of_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.formats.json_items._CHUNK", 7)
    monkeypatch.setattr("assay.formats.json_items._MOST_BEFORE", 40)
    items: list[bytes] = []
    data = json.dumps({"a": 1, "list": [{"n": n, "in": [{}]} for n in range(20)], "b": 2}, indent=1).encode()
    rest = read_items(HeldBytes(data), "list", items.append)
    assert [msgspec.json.decode(one)["n"] for one in items] == list(range(20))
    assert msgspec.json.decode(rest or b"") == {"a": 1, "list": [], "b": 2}


plain = st.recursive(
    st.none() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=30,
)


@examples(200)
@given(plain, st.sampled_from([None, 1, 4]), st.integers(1, 40), st.booleans())
def test_an_outline_is_the_file_without_texts_in_lists(
    value: Any, indent: int | None, chunk: int, only_ascii: bool
) -> None:
    data = json.dumps({"a": value}, indent=indent, ensure_ascii=only_ascii).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.formats.json_items._CHUNK", chunk)
        found = read_outline(HeldBytes(data))
    assert _without_texts(json.loads(found)) == _without_texts(json.loads(data))
    assert len(found) <= len(data)


def _without_texts(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_texts(one) for one in value if not isinstance(one, str)]
    return {key: _without_texts(one) for key, one in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize(
    ("data", "outline"),
    [
        (b'[\n  "a",\n  "b",\n  "c",\n  "d"\n]', b'[\n  "a",\n  "d"\n]'),
        # Where it isn't JSON, it still isn't.
        (b'{"a": 1,\n"b",\n"c",\n"d": 2}', b'{"a": 1,\n"b",\n"d": 2}'),
        (b'[\n"a",\n"\xff",\n"b"\n]', b'[\n"a",\n"\xff",\n"b"\n]'),
        (b'[\n"a",\n"\\"",\n"b"\n]', b'[\n"a",\n"\\"",\n"b"\n]'),
        (b'["a",\n"b"]', b'["a",\n"b"]'),
        (b"", b""),
    ],
)
def test_what_an_outline_leaves_out(data: bytes, outline: bytes) -> None:
    assert read_outline(HeldBytes(data)) == outline
