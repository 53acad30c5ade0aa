"""``assay verify``: the verdict on a playground, with the real command on a real store."""

import json
import threading
from pathlib import Path

import pytest

from assay.cli import verify as verify_command
from assay.dialects.criteria.models import Completion
from assay.engine.criteria import watched_sources
from tests.adapters.google_account import service_account, token
from tests.builders import REPO
from tests.cli.running import Cli, raw_characters, run_assay
from tests.dialects.criteria.test_document import CRITERION_RUN
from tests.servers.scripted_server import Reply, scripted

EXAMPLE = REPO / "examples" / "clinical" / "scheduling"
CRITERIA = EXAMPLE / "criteria.yaml"
PATIENT = "- label: a\n  assertion: {assert: fhir-resource-state, resource_type: Patient, id: p, exists: true}\n"
FILE = "- label: a\n  assertion: {assert: sftp-file-present, pattern: 'out/*.csv'}\n"


@pytest.fixture
def playground(tmp_path: Path) -> Path:
    return written(tmp_path, "{id: b, store: s.db}")


def written(folder: Path, text: str, name: str = "playground.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_the_result_as_json_is_as_documented(tmp_path: Path) -> None:
    """As a process of its own."""
    playground = written(tmp_path, (EXAMPLE / "playground.yaml").read_text())
    assert run_assay("playground", "load", playground, "--from", EXAMPLE / "partial").code == 0
    found = run_assay("verify", CRITERIA, "--playground", playground, "--json")
    said = json.loads(found.out)
    assert (found.code, found.err, list(said)) == (1, "", ["verdict", "score", "axes", "criterion_runs"])
    assert said["axes"]["communication"] == {"score": 0.75, "weight": 1}
    assert [one["passed"] for one in said["criterion_runs"]] == [True, False, False, False]
    assert {tuple(one) for one in said["criterion_runs"]} == {CRITERION_RUN}
    assert Completion.model_validate(said).answer() == said
    assert said["criterion_runs"][0]["evidence"]["assertionResults"][0] == {
        "path": "status",
        "expected": "booked",
        "actual": "booked",
        "passed": True,
    }


def test_the_text_has_verdict_axes_criteria_and_evidence(cli: Cli, tmp_path: Path) -> None:
    playground = written(tmp_path, (EXAMPLE / "playground.yaml").read_text())
    cli("playground", "load", playground, "--from", EXAMPLE / "partial")
    out = cli("verify", CRITERIA, "--playground", playground).out
    assert out.startswith(
        "PARTIAL  score 0.5500\n\naxis            score  weight\ncorrectness    0.5000       4\n"
    )
    for line in (
        "--  0.75   the caller heard the time     3 of 4 phrases as expected in 1 turn",
        '  ok  status: expected "booked", is "booked"',
        '  --  SCH.25.1: expected "Booked", is absent',
        '  ok  start: expected dateWithin "2025-06-05T15:30:00Z", is "2025-06-05T15:30:00Z"',
        '  --  "is booked" or "is confirmed": not said',
        '  ok  forbidden "your diagnosis": not said',
    ):
        assert line in out.splitlines()


def test_values_come_from_the_store_the_criteria_and_the_playground_file(cli: Cli, tmp_path: Path) -> None:
    """The nearest to the run wins: what the file has now, then the criteria, then what was stored."""
    row = {"record": "row", "resource": "r", "key": "007", "data": {"a": 5, "b": 2}}
    written(tmp_path, json.dumps(row), "r.jsonl")
    criteria = written(
        tmp_path,
        "data: {a: 4, b: 2}\ncriteria:\n- label: a\n  assertion:\n    assert: portal-state-match\n"
        "    correlate_by: {resource: r, key: '{{key}}'}\n"
        "    assertions: [{path: a, expected: '{{a}}'}, {path: b, expected: '{{b}}'}]\n",
        "c.yaml",
    )
    playground = written(tmp_path, "{id: b, store: s.db, data: {key: 007, b: 3}}")
    assert cli("playground", "load", playground, "--from", tmp_path).code == 0
    written(tmp_path, "{id: b, store: s.db, data: {a: 5}}")
    assert cli("verify", criteria, "--playground", playground).code == 0
    written(tmp_path, "{id: b, store: s.db}")
    assert cli("verify", criteria, "--playground", playground).out.startswith("PARTIAL  score 0.5000")


@pytest.mark.statement("criteria.since-run-start")
def test_the_start_of_the_run_is_that_of_the_file(cli: Cli, tmp_path: Path) -> None:
    criteria = written(tmp_path, FILE.replace("csv'", "csv', since: run_start"), "c.yaml")
    where = "store: s.db, files: {folder: files}"
    (tmp_path / "state" / "files" / "out").mkdir(parents=True)
    written(tmp_path / "state" / "files" / "out", "a,b", "x.csv")
    playground = written(tmp_path, f"{{id: b, {where}}}")
    assert cli("playground", "load", playground, "--from", tmp_path / "state").code == 0
    assert cli("verify", criteria, "--playground", playground).code == 0
    written(tmp_path, f"{{id: b, run_start: '2999-01-01T00:00:00Z', {where}}}")
    assert cli("verify", criteria, "--playground", playground).code == 1


@pytest.mark.parametrize(
    ("criteria", "says"),
    [(PATIENT, "no FHIR server is configured"), (FILE, "no files are configured")],
)
def test_a_source_that_is_not_there_scores_nothing(
    cli: Cli, playground: Path, tmp_path: Path, criteria: str, says: str
) -> None:
    cli("playground", "load", playground)
    found = cli("verify", written(tmp_path, criteria, "c.yaml"), "--playground", playground, "--json")
    assert (found.code, found.out, found.err) == (2, "", f"assay: {says} for the playground 'b'\n")


def test_a_fhir_server_is_asked_with_the_token_of_the_named_variable(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    criteria = written(tmp_path, PATIENT, "c.yaml")
    monkeypatch.setenv("CLINIC_TOKEN", "token-1")
    with scripted(Reply(body={"resourceType": "Patient", "id": "p"}), Reply(status=403)) as server:
        fhir = f"fhir: {{url: '{server.url}', token_env: CLINIC_TOKEN}}"
        playground = written(tmp_path, f"{{id: b, store: s.db, {fhir}}}")
        cli("playground", "load", playground)
        assert cli("verify", criteria, "--playground", playground).code == 0
        refused = cli("verify", criteria, "--playground", playground)
    assert server.headers[0]["Authorization"] == "Bearer token-1"
    assert (refused.code, refused.out, "token-1" in refused.err) == (2, "", False)


def test_a_fhir_server_is_asked_with_googles_application_credentials(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    criteria = written(tmp_path, PATIENT, "c.yaml")
    with (
        scripted(Reply(body={"resourceType": "Patient", "id": "p"})) as server,
        service_account(tmp_path, monkeypatch, token("google-1")),
    ):
        playground = written(tmp_path, f"{{id: b, store: s.db, fhir: {{url: '{server.url}', google: true}}}}")
        cli("playground", "load", playground)
        assert cli("verify", criteria, "--playground", playground).code == 0
    assert server.headers[0]["Authorization"] == "Bearer google-1"


@pytest.mark.parametrize(
    ("playground", "says"),
    [
        ("{id: b, store: none.db}", "the store"),
        ("{id: other, store: s.db}", "there is no playground 'other'"),
        ("{id: b, store: .}", "the store must be a file"),
        ("{id: b, store_env: ASSAY_NOT_SET}", "the environment variable ASSAY_NOT_SET, which the"),
        ("{id: b, store: s.db, fhir: {url: 'http://127.0.0.1:9', token_env: NOT_SET}}", "NOT_SET must hold"),
        ("{id: b, store: s.db, files: {url: 's3://b', credentials: {AWS_REGION: NOT_SET}}}", "NOT_SET, which the"),
        ("{id: b, store: s.db, files: {url: 'ftp://b'}}", "the URL of files must be"),
        ("{id: b, store: s.db, fhir: {folder: none}}", "can't be opened"),
        ("[", " must be valid YAML"),
    ],
)
def test_mistakes_are_one_sentence_and_score_nothing(
    cli: Cli, tmp_path: Path, playground: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    cli("playground", "load", written(tmp_path, "{id: b, store: s.db}", "first.yaml"))
    found = cli("verify", CRITERIA, "--playground", written(tmp_path, playground))
    assert (found.code, found.out, len(found.err.splitlines())) == (2, "", 1)
    assert says in found.err


@pytest.mark.parametrize(
    ("argv", "says"),
    [([CRITERIA], "--playground"), (["none.yaml", "--playground", "x"], "none.yaml can't be read")],
)
def test_bad_arguments(cli: Cli, argv: list[object], says: str) -> None:
    found = cli("verify", *argv)
    assert (found.code, found.out, says in found.err) == (2, "", True)


def test_a_record_of_any_depth_has_a_verdict(cli: Cli, playground: Path, tmp_path: Path) -> None:
    deep = "[" * 150 + "]" * 150
    row = f'{{"record": "row", "resource": "r", "key": "k", "data": {{"a": {deep}}}}}'
    written(tmp_path, row, "r.jsonl")
    assert cli("playground", "load", playground, "--from", tmp_path).code == 0
    rule = "{assert: portal-state-match, correlate_by: {resource: r}, assertions: [{path: a, operator: exists}]}"
    criteria = written(tmp_path, f"- label: a\n  assertion: {rule}\n", "c.yaml")
    found = cli("verify", criteria, "--playground", playground, "--json")
    assert (found.code, found.err) == (1, "")
    assert json.loads(found.out)["criterion_runs"][0]["details"].endswith("it is nested more than 90 deep")


def test_names_of_others_can_not_move_the_cursor(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    phrase = {"assert": "voice-transcript", "contains": ["a\x1b[31mb"]}
    path.write_text(
        json.dumps([{"label": "a\x1b[31m\nb", "assertion": one} for one in (phrase, {"assert": "\x1b"})])
    )
    playground = written(tmp_path, json.dumps({"id": "b\x1b", "store": "s.db"}), "playground.json")
    assert raw_characters(cli("playground", "load", playground).out) == set()
    found = cli("verify", path, "--playground", playground)
    assert (found.code, raw_characters(found.out)) == (1, set())


def test_a_source_that_is_waited_for_is_named_on_standard_error_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    """The server answers only once it has been named."""
    named = threading.Event()
    say = verify_command._say

    def saying(line: str) -> None:
        say(line)
        named.set()

    def reply(_: str) -> Reply:
        assert named.wait(60)
        return Reply(body={"resourceType": "Patient", "id": "p"})

    monkeypatch.setattr(verify_command, "_say", saying)
    monkeypatch.setattr(watched_sources, "PATIENCE_SEC", 0)
    with scripted(reply) as server:
        playground = written(tmp_path, f"{{id: b, store: s.db, fhir: {{url: '{server.url}'}}}}")
        cli("playground", "load", playground)
        found = cli("verify", written(tmp_path, PATIENT, "c.yaml"), "--playground", playground, "--json")
    assert (found.code, found.err) == (0, f"assay: waiting for the FHIR server at {server.url}\n")
    assert json.loads(found.out)["verdict"] == "pass"
