"""Questions about runs: every filter, order, group and export, on both databases."""

import csv
import io
import json
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import httpx
import pytest

from assay.adapters.service.page_source import StorePages
from assay.engine.explorer.page_source import Lines
from assay.engine.explorer.run_fields import FIELDS, GROUPED, Holds
from assay.engine.explorer.run_query import FILTERS, RunQuery, parse_run_query
from assay.evidence.run import Run, State
from tests.api.clinic import Clinic, Served, clinic_of, portal
from tests.api.kept_runs import changed, kept

pytestmark = pytest.mark.both_databases
PLAIN = kept(
    Run(
        job="night",
        name="a",
        task="sums",
        agent="ada",
        model="acme/small",
        dataset="tasks",
        state=State.PASSED,
        rewards={"reward": 1.0},
        score=1.0,
        cost_usd=0.25,
        started_at="2026-03-01T10:00:00Z",
        finished_at="2026-03-01T10:01:00Z",
        validity="valid",
        run_status="completed",
        duration_sec=60.0,
        tokens=1000,
    )
)
RUNS = [
    PLAIN,
    changed(PLAIN, name="b", task="words", score=0.0, state=State.FAILED, cost_usd=None, tokens=None),
    changed(
        PLAIN,
        name="c",
        kind="coding",
        model=None,
        checks="PASS",
        judge="FAIL",
        gates_disagree=True,
        failure_mode="wrong file",
        suspicion=0.75,
        duration_sec=5.0,
        started_at="2026-03-02T23:59:00+02:00",
        run_metrics_passed=False,
        text='{"message": "I opened\\nthe_file called résumé.txt"}'.replace("\\n", " "),
    ),
    changed(
        PLAIN,
        name="d",
        state=State.BROKEN,
        score=None,
        validity="not_completed",
        reason="harbor_verifier_timeout",
        cause="verifier",
        job="day",
        started_at=None,
    ),
    changed(PLAIN, name="e", axes={"safety": 0.25, "style": 1.0}, metadata={"seed": 3, "tag": "odd", "ok": True}),
    changed(
        PLAIN,
        name="f",
        axes={"safety": 0.75},
        metadata={"seed": 4},
        dataset="other",
        agent="bob",
        score=0.5,
        state=State.PARTIAL,
    ),
]


@pytest.fixture
def runs(clinic: Clinic) -> Clinic:
    """To be changed."""
    for run in RUNS:
        clinic.service.imports.add_runs(clinic.organisation, [run])
    return clinic


@pytest.fixture(scope="module")
def known(served: Served) -> Iterator[Clinic]:
    """To be asked only."""
    with httpx.Client(base_url=served.url, timeout=60) as client:
        clinic = clinic_of(served, client, "explored")
        for run in RUNS:
            clinic.service.imports.add_runs(clinic.organisation, [run])
        yield clinic


def names(clinic: Clinic, **asked: Any) -> str:
    found = clinic.get("/v1/runs", params={"sort": "name", "limit": 100, **asked})["data"]
    return "".join(one["name"] for one in found)


CASES: list[tuple[dict[str, Any], str | None]] = [
    ({}, "abcdef"),
    ({"kind": "coding"}, "c"),
    ({"kind": ["coding", "trial"]}, "abcdef"),
    ({"job": "day"}, "d"),
    ({"task": "words"}, "b"),
    ({"task": "nothing"}, ""),
    ({"agent": "bob"}, "f"),
    ({"model": "acme/small"}, "abdef"),
    ({"model": ""}, "c"),
    ({"model": ["", "acme/small"]}, "abcdef"),
    ({"dataset": "other"}, "f"),
    ({"state": "broken"}, "d"),
    ({"state": "failed"}, "b"),
    ({"state": ["failed", "broken"]}, "bd"),
    ({"cause": "verifier"}, "d"),
    ({"cause": ""}, "abcef"),
    ({"checks": "PASS"}, "c"),
    ({"judge": "FAIL"}, "c"),
    ({"run_status": "completed"}, "abcdef"),
    ({"run_metrics_passed": "false"}, "c"),
    ({"run_metrics_passed": "true"}, ""),
    ({"validity": "not_completed"}, "d"),
    ({"failure_mode": "wrong file"}, "c"),
    ({"suspicion": "0.5.."}, "c"),
    ({"reason": "harbor_verifier_timeout"}, "d"),
    ({"score": "0.5..1"}, "acef"),
    ({"score": "..0.5"}, "bf"),
    ({"score": "0.5"}, "f"),
    ({"score": "-0.0..0"}, "b"),
    ({"duration_sec": "..10"}, "c"),
    ({"cost_usd": "0.25.."}, "acdef"),
    ({"tokens": "1..1e6"}, "acdef"),
    ({"began_at": "2026-03-01"}, "abef"),
    ({"began_at": "2026-03-02..2026-03-03"}, "c"),
    ({"began_at": "2026-03-02T21:59:00..2026-03-02T21:59:00Z"}, "c"),
    ({"began_at": "2026-03-03.."}, "d"),
    ({"reviewers": "1.."}, ""),
    ({"gates_disagree": "true"}, "c"),
    ({"gates_disagree": "false"}, "abdef"),
    ({"reviewer_disagrees": "true"}, ""),
    ({"axis": "safety=0.5.."}, "f"),
    ({"axis": "safety=.."}, None),
    ({"axis": ["safety=..1", "style=1"]}, "e"),
    ({"metadata": "seed=3"}, "e"),
    ({"metadata": ["seed=3", "ok=true"]}, "e"),
    ({"metadata": ["seed=3", "tag=even"]}, ""),
    ({"name": "c"}, "c"),
    ({"name": "cc"}, ""),
    ({"text": "Résumé opened"}, "c"),
    ({"text": "the_file"}, "c"),
    ({"text": "called FILE"}, "c"),
    ({"text": "opened nothing"}, ""),
    ({"task": "sums", "score": "..0.9"}, "f"),
    ({"where": "state = failed and cost > 0.1"}, ""),
    ({"where": "cost > 0.1 and not score = 1"}, "df"),
    ({"where": "cost != 0.25"}, "b"),
    ({"where": "tokens = none or tokens > 1e300"}, "b"),
    ({"where": "judge = FAIL or (axis.safety > 0.25 and metadata.seed in (3, 4))", "kind": "trial"}, "f"),
    ({"where": "axis.safety = none and not gates_disagree and model != none", "state": "passed"}, "a"),
    ({"where": "time < 2026-03-02 and name in (a, e, d)"}, "ae"),
    ({"where": "state = failed cost"}, None),
]


@pytest.mark.parametrize(("asked", "found"), CASES)
def test_every_filter(known: Clinic, asked: dict[str, Any], found: str | None) -> None:
    if found is None:
        assert known.ask("GET", "/v1/runs", params=asked).status_code == 422
    else:
        assert names(known, **asked) == found


def test_every_field_is_filtered_by_some_case() -> None:
    assert {name for asked, _ in CASES for name in asked} == {*FILTERS}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"colour": "red"}, "there is no filter 'colour'; there are kind, job, name"),
        ({"score": "high"}, "score must be a range such as 0.5..1, ..1 or 0.5.., got 'high'"),
        ({"score": "nan"}, "score must be a range"),
        ({"began_at": "yesterday"}, "began_at must be a range such as 2026-01-01..2026-01-31"),
        ({"axis": "safety"}, "axis must be a name and a range, such as safety=0.5.., got 'safety'"),
        ({"metadata": "seed"}, "metadata must be a key and a value, such as seed=3, got 'seed'"),
        ({"gates_disagree": "maybe"}, "gates_disagree must be one of true, false, got 'maybe'"),
        ({"sort": "colour"}, "sort must be one of created_at, kind"),
        ({"by": "score"}, "by must be one of kind, job"),
        ({"limit": "0"}, "limit must be a whole number from 1 to 100"),
        ({"cursor": "x"}, "cursor must be next or prev of an earlier page of the same list"),
        ({"text": "!?"}, "text must have words of letters or digits"),
        ({"score": ["1", "2"]}, "score must be given once, got 2 values"),
    ],
)
def test_what_cannot_be_asked_is_said(known: Clinic, asked: dict[str, Any], said: str) -> None:
    answer = known.ask("GET", "/v1/runs", params=asked)
    assert answer.status_code == 422
    assert said in answer.json()["error"]["message"]


def walked(clinic: Clinic, sort: str, limit: int) -> Iterator[list[str]]:
    """All pages forth, and then all of them back."""
    cursor, way = None, "next"
    while True:
        asked = {"sort": sort, "limit": limit, **({} if cursor is None else {"cursor": cursor})}
        found = clinic.get("/v1/runs", params=asked)
        yield [one["name"] for one in found["data"]]
        cursor = found["_meta"][way]
        if cursor is None and way == "next":
            cursor, way = found["_meta"]["prev"], "prev"
            yield []
        if cursor is None:
            return


SORTED = [one.name for one in FIELDS if one.holds is not Holds.FLAG]


@pytest.mark.parametrize("sort", ["created_at", *SORTED])
@pytest.mark.parametrize("sign", ["", "-"])
def test_every_order_has_each_run_once_forth_and_back(known: Clinic, sort: str, sign: str) -> None:
    pages = list(walked(known, sign + sort, 2))
    turn = pages.index([])
    forth, back = pages[:turn], pages[turn + 1 :]
    flat = [name for some in forth for name in some]
    assert sorted(flat) == list("abcdef")
    assert back == forth[-2::-1]
    everything = {one["name"]: one for one in known.get("/v1/runs", params={"limit": 100})["data"]}
    values = [everything[name][sort] for name in flat]
    there = [value for value in values if value is not None]
    assert values == [*there, *[None] * (len(values) - len(there))]
    assert there == sorted(there, reverse=bool(sign))


def test_a_cursor_of_another_order_is_refused(known: Clinic) -> None:
    cursor = known.get("/v1/runs", params={"sort": "score", "limit": 2})["_meta"]["next"]
    assert known.ask("GET", "/v1/runs", params={"sort": "task", "cursor": cursor}).status_code == 422


def test_runs_that_are_added_meanwhile_hide_no_others(runs: Clinic) -> None:
    first = runs.get("/v1/runs", params={"sort": "-score", "limit": 3})
    runs.service.imports.add_runs(runs.organisation, [changed(PLAIN, name="z", score=2.0)])
    second = runs.get("/v1/runs", params={"sort": "-score", "limit": 10, "cursor": first["_meta"]["next"]})
    assert sorted(one["name"] for one in [*first["data"], *second["data"]]) == list("abcdef")


def recounted(found: list[dict[str, Any]], by: str) -> dict[Any, tuple[int, int, float | None, int]]:
    groups: dict[Any, list[dict[str, Any]]] = {}
    for one in found:
        groups.setdefault(one[by], []).append(one)
    means: Callable[[list[float]], float | None] = lambda scores: sum(scores) / len(scores) if scores else None  # noqa: E731
    return {
        value: (
            len(some),
            sum(one["score"] is not None for one in some),
            means([one["score"] for one in some if one["score"] is not None]),
            sum(one["state"] == "passed" for one in some),
        )
        for value, some in groups.items()
    }


def shown(groups: list[dict[str, Any]]) -> dict[Any, tuple[int, int, float | None, int]]:
    return {one["value"]: (one["runs"], one["scored"], one["mean"], one["passed"]) for one in groups}


@pytest.mark.parametrize("by", GROUPED)
def test_groups_are_what_counting_gives(known: Clinic, by: str) -> None:
    found = known.get("/v1/runs", params={"limit": 100})["data"]
    assert shown(known.get("/v1/runs/groups", params={"by": by})) == recounted(found, by)
    some = [one for one in found if one["kind"] == "trial"]
    assert shown(known.get("/v1/runs/groups", params={"by": by, "kind": "trial"})) == recounted(some, by)
    both = [one for one in found if one["kind"] in ("trial", "coding")]
    assert len(some) < len(both)
    assert shown(known.get("/v1/runs/groups", params={"by": by, "kind": ["trial", "coding"]})) == recounted(
        both, by
    )
    scored = [one for one in some if one["validity"] == "valid"]
    more = {"by": by, "kind": "trial", "validity": "valid"}
    assert shown(known.get("/v1/runs/groups", params=more)) == recounted(scored, by)
    assert known.get("/v1/runs/groups", params={"by": by, "kind": "none"}) == []
    value = some[0][by]
    own = [one for one in some if one[by] == value]
    asked = {"by": by, by: value or "", "kind": "trial"}
    assert shown(known.get("/v1/runs/groups", params=asked)) == recounted(own, by)


def test_totals_follow_changes(runs: Clinic) -> None:
    imports, mine = runs.service.imports, runs.organisation
    assert (imports.totals(mine).runs, imports.totals(mine).shown()["passed"]) == (6, 3)
    judged = changed(RUNS[0], judge="PASS", failure_mode="late")
    assert imports.add_runs(mine, [judged]).known == 1
    found = runs.get("/v1/runs", params={"limit": 100})["data"]
    assert shown(runs.get("/v1/runs/groups", params={"by": "judge"})) == recounted(found, "judge")
    assert imports.totals(mine).runs == 6


def test_means_are_exact_whatever_the_order(clinic: Clinic) -> None:
    scores = [0.1] * 7 + [1e-7, 1e16, -1e16, 0.3]
    random.Random(1).shuffle(scores)
    for at, score in enumerate(scores):
        clinic.service.imports.add_runs(clinic.organisation, [changed(PLAIN, name=f"n{at}", score=score)])
    [found] = clinic.get("/v1/runs/groups", params={"by": "task"})
    assert found["mean"] == float(sum(map(Fraction, scores), Fraction()) / len(scores))


def test_the_newest_jobs_and_their_tasks_are_what_going_through_all_runs_gives(clinic: Clinic) -> None:
    imports, mine = clinic.service.imports, clinic.organisation
    states = (State.PASSED, State.FAILED, State.BROKEN, State.UNUSABLE)
    for at in range(24):
        job, task, state = f"job-{at * 5 % 7}", f"task-{at % 3}", states[at % 4]
        new = changed(
            PLAIN, job=job, name=f"n{at}", task=task, state=state, score=None if state == "broken" else 1.0
        )
        imports.add_runs(mine, [new])
    # These wait to be counted: a task run of a benchmark run, which is its job, and one that has no job.
    made = clinic.post("/v1/benchmark-runs", {"benchmark": clinic.benchmark(clinic.task())})
    clinic.post(f"/v1/task-runs/{made['task_runs'][0]['id']}/start")
    for identity in (made["task_runs"][0]["id"], clinic.run(portal("status", "booked"))):
        clinic.post(f"/v1/task-runs/{identity}/complete")
    pages = StorePages(clinic.service.store, imports, clinic.service.blobs, clinic.service.jobs, mine)
    lines = Lines(list(pages.every_line(RunQuery(sort="created_at"))), lambda _run, _text: False)
    newest = pages.newest_jobs(20)
    assert list(newest.items()) == list(lines.newest_jobs(20).items())
    assert (len(newest), sum(newest.values())) == (8, 25)
    assert next(iter(newest)) == made["benchmark_run"]["id"]
    assert list(pages.newest_jobs(3)) == list(newest)[:3]
    some = [*list(newest)[:4], "nothing"]
    assert pages.task_states(some) == lines.task_states(some) != {}
    assert (pages.newest_jobs(0), pages.task_states([])) == ({}, {})


def test_runs_of_tasks_are_in_the_explorer(clinic: Clinic) -> None:
    identity = clinic.run(portal("status", "booked", axis="safety"), portal("status", "lost", axis="safety"))
    done = clinic.post(f"/v1/task-runs/{identity}/complete")
    [run] = clinic.get("/v1/runs", params={"kind": "task_run"})["data"]
    assert (run["name"], run["state"], run["score"]) == (done["id"], done["verdict"], done["score"])
    assert run["run_status"] == "completed"
    assert run["axes"] == {name: one["score"] for name, one in done["axes"].items()}
    assert run["duration_sec"] >= 0
    assert clinic.get("/v1/runs", params={"name": done["id"]})["data"] == [run]
    [group] = clinic.get("/v1/runs/groups", params={"by": "kind"})
    assert (group["value"], group["runs"]) == ("task_run", 1)


def test_exports_have_every_run_in_order(known: Clinic) -> None:
    lines = known.ask("GET", "/v1/runs/export.jsonl", params={"sort": "name"}).text.splitlines()
    assert [json.loads(line)["name"] for line in lines] == list("abcdef")
    assert json.loads(lines[0]) == known.get("/v1/runs", params={"name": "a"})["data"][0]
    answer = known.ask(
        "GET", "/v1/runs/export.csv", params={"sort": "-score", "columns": "name,score,gates_disagree"}
    )
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["name"] for row in rows][-2:] == ["b", "d"]
    assert rows[-1] == {"name": "d", "score": "", "gates_disagree": "false"}
    assert known.ask("GET", "/v1/runs/export.csv", params={"text": "?"}).status_code == 422
    assert known.ask("GET", "/v1/runs/export.csv", params={"limit": "3"}).status_code == 422


def test_a_table_takes_nothing_for_a_formula(clinic: Clinic) -> None:
    clinic.service.imports.add_runs(clinic.organisation, [changed(PLAIN, name="=HYPERLINK(1)")])
    text = clinic.ask("GET", "/v1/runs/export.csv", params={"columns": "name"}).text
    assert text == "name\r\n'=HYPERLINK(1)\r\n"


def test_others_find_nothing(known: Clinic) -> None:
    known.service.keys.add_organisation("elsewhere", "elsewhere")
    imports = known.service.imports
    for asked in ([], [("text", "opened")], [("axis", "safety=0..")], [("metadata", "seed=3")]):
        assert imports.slice("elsewhere", parse_run_query(asked)).rows == []
    assert imports.groups("elsewhere", parse_run_query([])) == []


def test_a_reviewer_who_disagrees_is_found(runs: Clinic) -> None:
    [run] = runs.get("/v1/runs", params={"name": "a"})["data"]
    note = {"reviewer_id": "ana", "judgment": "fail"}
    runs.post(f"/v1/runs/{run['id']}/annotations", note, key="grader")
    assert names(runs, reviewer_disagrees="true") == "a"
    assert names(runs, reviewers="1..") == "a"
    runs.post(f"/v1/runs/{run['id']}/annotations", {**note, "judgment": "pass"}, key="grader")
    assert names(runs, reviewer_disagrees="true") == ""
    runs.post(f"/v1/runs/{run['id']}/annotations", {"reviewer_id": "bo", "judgment": "defer"}, key="grader")
    [again] = runs.get("/v1/runs", params={"name": "a"})["data"]
    assert (again["reviewers"], again["reviewer_disagrees"]) == (3, False)
