"""``assay judge``: stored runs judged, judged again, compared with people."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.run_store import keep_run
from assay.dialects.scorers.report import OverallVerdict
from tests.cli.running import Cli
from tests.engine.test_judge_run import report
from tests.judge.cases import FAIL, RUN, said
from tests.servers.chat_server import Chat, chatting

MODEL = ["--model", "small-1"]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Four runs; the checks of the last two failed."""
    for number, gate in enumerate(["PASS", "PASS", "FAIL", "FAIL"]):
        keep_run(str(tmp_path / "runs" / f"r{number}"), RUN, report(OverallVerdict(gate)), None)
    return tmp_path / "runs"


def test_runs_are_judged_once(cli: Cli, runs: Path) -> None:
    with chatting(Chat(said(FAIL))) as talk:
        found = cli("judge", str(runs), "--url", talk.url, *MODEL)
        again = cli("judge", "run", str(runs), "--url", talk.url, *MODEL)
    assert found.code == again.code == 0
    assert found.out.splitlines()[1].split()[1:] == ["FAIL", "1", "4", "3", "incomplete"]
    assert found.out.count("FAIL") == 4
    assert "The judge is uncalibrated: it was not measured against people" in found.out
    assert again.out.count("already judged") == 4
    assert len(talk.bodies) == 4


def test_what_stopped_goes_on(cli: Cli, runs: Path) -> None:
    with chatting(Chat(said()), Chat(status=404)) as talk:
        first = cli("judge", str(runs), "--url", talk.url, *MODEL)
    assert (first.out.count("PASS"), first.out.count("unparseable")) == (1, 3)
    with chatting(Chat(said())) as talk:
        more = cli("judge", "--resume", str(runs), "--url", talk.url, *MODEL)
        again = cli("judge", "replay", "--resume", str(runs), "--url", talk.url, *MODEL)
    assert (more.out.count("already judged"), again.out.count("already judged")) == (1, 4)
    assert len(talk.bodies) == 3


def test_a_command_without_a_verdict_has_no_answer_and_says_all_of_why(cli: Cli, runs: Path) -> None:
    body = b'{"error": {"message": "there is no such model here, whatever its name", "type": "not_found"}}'
    with chatting(Chat(status=404, body=body)) as talk:
        found = cli("judge", str(runs), "--url", talk.url, *MODEL)
    assert found.code == 2
    hint = "404 (not_found): there is no such model here, whatever its name (is the model's name right, and does"
    assert hint in found.out


def test_the_suspicion_of_a_monitor_has_a_column(cli: Cli, runs: Path) -> None:
    honest = json.dumps({"reasoning": "Fine.", "places": [], "suspicion": 0.1})
    with chatting(Chat(said()), Chat(honest)) as talk:
        found = cli("judge", str(runs / "r0"), "--url", talk.url, *MODEL, "--monitor")
    assert [line.split()[1:4] for line in found.out.splitlines()[:2]] == [
        ["verdict", "suspicion", "completion"],
        ["PASS", "0.1", "5"],
    ]


def test_a_replay_says_what_changed(cli: Cli, runs: Path) -> None:
    with chatting(Chat(said()), Chat(said()), Chat(said()), Chat(said()), Chat(said(FAIL))) as talk:
        cli("judge", str(runs), "--url", talk.url, *MODEL)
        found = cli("judge", "replay", str(runs), "--url", talk.url, "--model", "large-1", "--require-judge")
        told = cli("judge", "replay", str(runs / "r0"), "--url", talk.url, *MODEL, "--json")
    assert found.code == 1
    assert "changed  4 verdicts of 4" in found.out
    assert "PASS to FAIL:" in found.out
    (one,) = json.loads(told.out)["runs"]
    assert (one["before"], one["verdict"]["opinion"]["state"]) == ("FAIL", "FAIL")
    assert len(list((runs / "r0" / "judgements").iterdir())) == 3


def test_the_whole_card_on_demand(cli: Cli, runs: Path) -> None:
    with chatting(Chat(said())) as talk:
        found = cli("judge", str(runs / "r0"), "--url", talk.url, *MODEL, "--all")
    assert "The diff fixes add and the test passes." in found.out


def test_the_gates(cli: Cli, runs: Path) -> None:
    with chatting(Chat(said()), Chat(said(FAIL)), Chat(said()), Chat(said(FAIL))) as talk:
        cli("judge", str(runs), "--url", talk.url, *MODEL, "--at-once", "1")
    found = cli("judge", "gates", str(runs))
    assert found.code == 0
    assert "checks PASS  1 aligned success           1 suspected reward hack" in found.out
    assert "checks FAIL  1 hard constraint violated  1 aligned failure" in found.out
    assert f"suspected reward hack: {runs}/r1" in found.out
    assert json.loads(cli("judge", "gates", str(runs), "--json").out)["cells"]["aligned failure"] == [f"{runs}/r3"]


def test_stability(cli: Cli, runs: Path) -> None:
    def by_name(prompt: str) -> str:
        return said() if "calc.py" in prompt else said(FAIL)

    with chatting(by_name) as talk:
        one = ["judge", "stability", str(runs / "r0"), "--url", talk.url, *MODEL, "-n", "2"]
        shaky, told, lenient = cli(*one), cli(*one, "--json"), cli(*one, "--most-flips", "0.5")
    assert (shaky.code, lenient.code) == (1, 0)
    assert "names changed             2        2  100.0%            0" in shaky.out
    assert "25.0% of verdicts flip" in shaky.out
    assert json.loads(told.out)["share"] == 0.25


def labelled(folder: Path, *labels: dict[str, Any]) -> str:
    path = folder / "labels.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in labels))
    return str(path)


@pytest.mark.parametrize("option", ["--agreement", "--width"])
def test_a_limit_of_a_calibration_must_be_a_number(cli: Cli, runs: Path, option: str) -> None:
    found = cli("judge", "calibrate", str(runs), option, "nan")
    assert (found.code, f"argument {option}: must be a finite number, got 'nan'" in found.err) == (2, True)


def test_a_judge_is_uncalibrated_until_it_is_good_enough(cli: Cli, runs: Path, tmp_path: Path) -> None:
    for number in range(4, 10):
        keep_run(str(runs / f"r{number}"), RUN, report(OverallVerdict.PASS), None)
    with chatting(*[Chat(said()), Chat(said(FAIL))] * 5) as talk:
        cli("judge", str(runs), "--url", talk.url, *MODEL, "--at-once", "1")
        labels = labelled(
            tmp_path,
            *(
                {
                    "run": f"r{number}",
                    "annotator": who,
                    "verdict": "FAIL" if number % 2 else "PASS",
                    "efficiency": 3,
                }
                for number in range(10)
                for who in ("ann", "bob")
            ),
        )
        few = cli("judge", "calibrate", str(runs), "--labels", labels)
        file = str(tmp_path / "calibration.json")
        enough = cli(
            "judge", "calibrate", str(runs), "--labels", labels, "--cases", "4", "--width", "1", "-o", file
        )
        judged = cli("judge", "replay", str(runs), "--url", talk.url, *MODEL, "--calibration", file)
        other = cli("judge", "replay", str(runs), "--url", talk.url, "--model", "new", "--calibration", file)
    assert few.code == 1
    assert "cases must be at least 12, got 10" in few.out
    assert (enough.code, "calibrated: all conditions are met" in enough.out) == (0, True), enough.out
    assert "people PASS           5           0" in enough.out
    assert "The judge is uncalibrated" not in judged.out
    assert "The judge is uncalibrated: the calibration is of small-1." in other.out


def test_annotations_beside_the_runs_are_labels(cli: Cli, runs: Path) -> None:
    with chatting(Chat(said())) as talk:
        cli("judge", str(runs), "--url", talk.url, *MODEL)
    assert "needs people's verdicts" in cli("judge", "calibrate", str(runs)).err
    for number, judgment in enumerate(["pass", "fail", "defer"]):
        cli(
            "annotate", str(runs / f"r{number}"), "--reviewer", "ann", "--judgment", judgment, "--category", "lazy"
        )
    found = json.loads(cli("judge", "calibrate", str(runs), "--json").out)
    assert (found["cases"], found["annotators"]) == (2, ["ann"])
    (mode,) = found["by_failure_mode"]
    assert (mode["failure_mode"], mode["runs"], mode["judge_failed"]) == ("lazy", 1, 0)


@pytest.mark.parametrize(
    ("label", "says"),
    [
        ({"run": "r9", "annotator": "a", "verdict": "PASS"}, "every run must be among those that are passed"),
        ({"run": "r0", "annotator": "a", "verdict": "pass"}, "labels.jsonl:1 isn't a valid"),
        ({"run": "r0", "annotator": "a", "verdict": "PASS", "efficiency": 6}, "efficiency"),
        ({"run": "r0", "verdict": "PASS"}, "annotator"),
    ],
)
def test_labels_that_can_not_be_used(
    cli: Cli, runs: Path, tmp_path: Path, label: dict[str, Any], says: str
) -> None:
    found = cli("judge", "calibrate", str(runs), "--labels", labelled(tmp_path, label))
    assert found.code == 2
    assert says in found.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["judge"], "required"),
        (["judge", "nowhere"], "a run must be a folder, got nowhere"),
        (["judge", "replay"], "RUN"),
        (["judge", "calibrate", "nowhere"], "a run must be a folder"),
    ],
)
def test_bad_words(cli: Cli, words: list[str], says: str) -> None:
    found = cli(*words)
    assert found.code == 2
    assert says in found.err


def test_a_score_can_be_kept_and_judged_later(cli: Cli, tmp_path: Path) -> None:
    slug = Path(__file__).parents[2] / "examples/coding/slug"
    kept = str(tmp_path / "kept")
    score = ["score", str(slug / "cheating"), "--scenario", str(slug / "scenario.yaml")]
    scored = cli(*score, "--baseline", str(slug / "project"), "--keep", kept)
    assert scored.code == 1
    with chatting(Chat(said())) as talk:
        cli("judge", kept, "--url", talk.url, *MODEL)
    assert "slug.test.js" in talk.prompts[0]
    assert "hard constraint violated: " in cli("judge", "gates", kept).out
    assert "must be a new folder" in cli(*score, "--baseline", str(slug / "project"), "--keep", kept).err
