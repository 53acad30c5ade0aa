"""``assay.score()`` and its siblings: the options, defaults, answers and errors of the commands."""

import inspect
import json
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import commands
from assay.cli.main import parser_of
from tests.builders import HARBOR_JOBS, REPO
from tests.cli.running import Cli
from tests.sandbox.backends import need

SLUG = REPO / "examples/coding/slug"
RULES: dict[str, Any] = {"scenario": SLUG / "scenario.yaml", "baseline": SLUG / "project"}
MONDAY, TUESDAY, WEDNESDAY = (REPO / "examples/comparison" / name for name in ("monday", "tuesday", "wednesday"))
CLINICAL = REPO / "examples/clinical/prior-authorisation"
CAPITAL = REPO / "examples/tasks/capital"
# How the answer is printed or written for other programs, and no part of the question.
FORM = {"json", "markdown", "svg", "junit", "github", "format", "all", "help", "start"}
NAMES = ("audit", "compare", "power", "report", "run", "score", "verify")


def as_options(*given: object, **options: object) -> list[object]:
    words = list(given)
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, tuple | list):
            words += [flag, *value]
        elif value is not False:
            words += [flag] if value is True else [flag, value]
    return words


@pytest.mark.parametrize("name", NAMES)
def test_the_options_are_those_of_the_command_with_the_same_defaults(name: str) -> None:
    parameters = inspect.signature(getattr(assay, name)).parameters
    settings = set(commands.JudgeSettings.__annotations__) if "judge_settings" in parameters else set()
    left_out = FORM | ({"quiet"} if name == "audit" else set())
    actions = {action.dest: action for action in parser_of(name)._actions if action.dest not in left_out}
    assert set(actions) == (set(parameters) - {"judge_settings"}) | settings
    for dest, action in actions.items():
        found = parameters[dest].default if dest in parameters else inspect.Parameter.empty
        if found is not inspect.Parameter.empty:
            assert found == (tuple(action.default) if isinstance(action.default, list) else action.default), dest


QUESTIONS: list[tuple[str, Sequence[object], dict[str, Any]]] = [
    ("score", [SLUG / "honest"], RULES),
    ("score", [SLUG / "cheating"], RULES | {"strict": True}),
    ("score", [], {"no_workspace": True, "scenario": SLUG / "scenario.yaml", "run_status": "failed"}),
    ("report", [HARBOR_JOBS / "j1"], {}),
    ("report", [MONDAY, TUESDAY], {"by": "trial", "threshold": 0.5}),
    ("report", [MONDAY], {"by": "task"}),
    ("compare", [MONDAY, TUESDAY], {"fail_if_worse_than": 0.1}),
    ("compare", [TUESDAY, MONDAY], {"fail_if_worse_than": 0.1, "threshold": 0.5}),
    ("compare", [MONDAY, TUESDAY, WEDNESDAY], {}),
    ("power", [], {"difference": 0.1, "variances": (0.05, 0.2)}),
    ("power", [MONDAY, TUESDAY], {"difference": 0.05, "power": 0.9, "trial_cost": 0.5}),
    ("audit", [HARBOR_JOBS / "j1"], {}),
]


def form(name: str) -> dict[str, Any]:
    return {"no_run_cache": True} if name == "score" else {}


@pytest.mark.parametrize(("name", "given", "options"), QUESTIONS, ids=lambda value: str(value)[-30:])
def test_the_answer_is_that_of_the_command(
    cli: Cli, name: str, given: Sequence[object], options: dict[str, Any]
) -> None:
    found = getattr(assay, name)(*given, **options, **form(name))
    words = [name, *as_options(*given, **options, **form(name))]
    printed, as_json = cli(*words), cli(*words, "--json")
    assert (found.exit_code, f"{found!r}\n") == (printed.code, printed.out)
    assert found.to_dict() == json.loads(as_json.out)
    rows = found.rows()
    assert {tuple(row) for row in rows} == ({tuple(rows[0])} if rows else set())
    assert not any(isinstance(value, dict | list | tuple) for row in rows for value in row.values())


def test_criteria_on_a_playground(cli: Cli, tmp_path: Path) -> None:
    playground = shutil.copy(CLINICAL / "playground.yaml", tmp_path)
    assert cli("playground", "load", playground, "--from", CLINICAL / "passing").code == 0
    found = assay.verify(CLINICAL / "criteria.yaml", playground=playground)
    assert (found.verdict, found.score, found.exit_code) == ("pass", 1.0, 0)
    printed = cli("verify", CLINICAL / "criteria.yaml", "--playground", playground)
    assert f"{found!r}\n" == printed.out
    assert len(found.rows()) == len(found.to_dict()["criterion_runs"])


def test_a_job_is_run_reported_and_graded_again(tmp_path: Path) -> None:
    need("bubblewrap")
    ran = assay.run(CAPITAL, agent="oracle", n_attempts=2, jobs_dir=tmp_path, job_name="solved", quiet=True)
    assert (ran.exit_code, ran.folder) == (0, str(tmp_path / "solved"))
    assert ran.means == {"solved/oracle__adhoc": 1.0}
    assert ran.to_dict() == assay.report(ran.folder).to_dict()
    assert assay.audit(ran.folder).consistent
    again = assay.audit(ran.folder, repeat=2)
    assert [row["steady"] for row in again.rows()] == [True, True]
    idle = assay.run(CAPITAL, agent="nop", jobs_dir=tmp_path, job_name="idle", quiet=True)
    assert assay.compare(ran.folder, idle.folder, fail_if_worse_than=0).decision == "undecided"


def test_predictions_have_a_row_for_each(tmp_path: Path) -> None:
    lines = [{"instance_id": f"i{n}", "model_name_or_path": "m", "model_patch": ""} for n in range(2)]
    path = tmp_path / "predictions.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    found = assay.score(path, **RULES)
    assert found.verdict is None
    assert [(row["instance_id"], row["state"]) for row in found.rows()] == [("i0", "unusable"), ("i1", "unusable")]


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: assay.report("nowhere"), "nowhere doesn't exist"),
    (lambda: assay.report(MONDAY, threshold=float("nan")), "threshold must be a finite number, got 'nan'"),
    (lambda: assay.report(MONDAY, k=(0,)), "k must be whole numbers of at least 1, such as 1,4, got '0'"),
    (lambda: assay.report(MONDAY, by="hour"), "by must be one of task, trial, got 'hour'"),  # type: ignore[arg-type]
    (lambda: assay.report(MONDAY, metric_script="nowhere.py"), "metric_script must be a file, but there is no"),
    (lambda: assay.run(CAPITAL, agent="nop", n_attempts=0), "n_attempts must be a whole number of at least 1"),
    (lambda: assay.score(judge_url="http://localhost"), "pass --judge with --judge-url"),
    (lambda: assay.score(SLUG / "honest", quick=True, thorough=True), "pass quick or thorough, got both"),
    (lambda: assay.power(difference=0.1), "pass a pilot or --variances, one of the two"),
    (lambda: assay.verify("criteria.yaml"), "--playground or --server must be given"),
]


@pytest.mark.parametrize(("question", "why"), REFUSED, ids=[why[:30] for _, why in REFUSED])
def test_a_bad_value_is_refused_as_on_the_command_line(question: Callable[[], object], why: str) -> None:
    with pytest.raises(assay.InputError) as refused:
        question()
    assert str(refused.value).startswith(why)


def test_an_unknown_option_is_a_type_error_as_anywhere_in_python() -> None:
    with pytest.raises(TypeError, match="judge_nonsense"):
        assay.score(judge_nonsense=1)  # type: ignore[call-arg]


def test_a_result_is_plain_values_of_its_own() -> None:
    found = assay.report(MONDAY)
    found.to_dict()["jobs"].clear()
    assert len(found.to_dict()["jobs"]) == 1
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()  # noqa: S301 - our own


def test_html_has_no_markup_of_a_job(tmp_path: Path) -> None:
    job = shutil.copytree(MONDAY, tmp_path / "<script>alert(1)<")
    text = assay.report(job)._repr_html_()
    assert text.startswith("<pre>&lt;script&gt;alert(1)&lt;")


WITHOUT_FRAMES = """
import sys
sys.modules["pandas"] = sys.modules["polars"] = None
import assay
found = assay.power(difference=0.1, variances=(0.05, 0.2))
assert found.to_frame() == found.rows()
"""


def test_without_pandas_and_polars_a_frame_is_the_rows() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_FRAMES], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_frame_has_the_rows_and_columns(package: str) -> None:
    pytest.importorskip(package)
    found = assay.report(MONDAY, TUESDAY, by="trial")
    frame = found.to_frame()
    assert type(frame).__module__.startswith(package)
    assert list(frame.columns) == list(found.rows()[0])
    assert len(frame) == len(found.rows())


def test_types_that_people_see_are_public() -> None:
    for name in NAMES:
        shown = inspect.signature(getattr(assay, name)).return_annotation
        assert shown.__module__ == "assay.results"
        assert shown.__name__ in commands.__all__
