"""``assay criteria``: lint, record and check, with the real command on a real store."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import REPO
from tests.cli.running import Cli, raw_characters, run_assay
from tests.servers.scripted_server import Reply, scripted

EXAMPLES = REPO / "examples" / "criteria"
CRITERIA = EXAMPLES / "scheduling.yaml"
START = ("--run-start", "2026-03-01T12:00:00Z")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


@pytest.mark.parametrize(
    ("name", "verdict", "code"), [("passing", "PASS", 0), ("partial", "PARTIAL", 1), ("failing", "FAIL", 1)]
)
def test_the_examples_come_out_as_they_are_called(
    cli: Cli, store: Path, name: str, verdict: str, code: int
) -> None:
    recorded = cli("criteria", "record", EXAMPLES / f"{name}.jsonl", "--sandbox", name, *START, "--store", store)
    assert (recorded.code, recorded.err) == (0, "")
    assert f"in the new sandbox {name} of {store}" in recorded.out
    checked = cli("criteria", "check", CRITERIA, "--sandbox", name, "--store", store)
    assert (checked.code, checked.err) == (code, "")
    assert checked.out.startswith(f"{verdict}  score ")
    for label in ("the visit is booked", "the hospital was told", "the caller heard the time", "communication"):
        assert label in checked.out


def test_the_result_as_json(store: Path) -> None:
    """As a process of its own."""
    run_assay("criteria", "record", EXAMPLES / "partial.jsonl", "--sandbox", "b", *START, "--store", store)
    found = run_assay("criteria", "check", CRITERIA, "--sandbox", "b", "--store", store, "--json")
    said = json.loads(found.out)
    assert (found.code, list(said)) == (1, ["verdict", "score", "axes", "criteria"])
    assert (said["verdict"], said["score"]) == ("partial", 0.75)
    assert said["axes"]["communication"] == {"score": 0.75, "weight": 1}
    assert [one["passed"] for one in said["criteria"]] == [True, False, True, False]
    assert {"label", "passed", "score", "details", "evidence"} <= said["criteria"][0].keys()
    assert said["criteria"][0]["evidence"]["assertionResults"][0] == {
        "path": "status",
        "expected": "booked",
        "actual": "booked",
        "passed": True,
    }


def test_records_are_added_all_or_none(cli: Cli, store: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"record": "x12_response", "payload": "a"}\n{"record": "turn"}\n')
    found = cli("criteria", "record", EXAMPLES / "passing.jsonl", bad, "--sandbox", "b", "--store", store)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"assay: {bad}:2: number: ")
    found = cli("criteria", "check", CRITERIA, "--sandbox", "b", "--store", store)
    assert (found.code, found.err) == (2, f"assay: there is no sandbox 'b' in {store}\n")


def test_more_records_go_into_a_sandbox_that_is_there(cli: Cli, store: Path, tmp_path: Path) -> None:
    cli("criteria", "record", "--sandbox", "b", *START, "--store", store)
    found = cli("criteria", "record", EXAMPLES / "passing.jsonl", "--sandbox", "b", "--store", store)
    assert (found.code, found.out) == (0, f"recorded 5 in sandbox b of {store}\n")
    assert cli("criteria", "check", CRITERIA, "--sandbox", "b", "--store", store).code == 0
    found = cli("criteria", "record", "--sandbox", "b", *START, "--store", store)
    assert (found.code, found.err.count("are for a new one")) == (2, 1)


def test_values_come_from_the_sandbox_and_from_files(cli: Cli, store: Path, tmp_path: Path) -> None:
    criteria, records, data = (tmp_path / name for name in ("c.yaml", "r.jsonl", "d.yaml"))
    criteria.write_text(
        "- label: a\n  assertion:\n    assert: portal-state-match\n"
        "    correlate_by: {resource: r, key: '{{key}}'}\n"
        "    assertions: [{path: a, expected: '{{a}}'}]\n"
    )
    records.write_text('{"record": "row", "resource": "r", "key": "007", "data": {"a": 5}}\n')
    data.write_text("key: 007\n")
    cli("criteria", "record", records, "--sandbox", "b", "--data", data, "--store", store)
    data.write_text("a: 5\n")
    assert cli("criteria", "check", criteria, "--sandbox", "b", "--data", data, "--store", store).code == 0
    found = cli("criteria", "check", criteria, "--sandbox", "b", "--store", store)
    assert (found.code, found.out.count("unsupported assertion: the task's data has no 'a'")) == (1, 1)


def test_a_source_that_is_not_there_scores_nothing(cli: Cli, store: Path, tmp_path: Path) -> None:
    criteria = tmp_path / "c.yaml"
    criteria.write_text(
        "- label: a\n  assertion: {assert: fhir-resource-state, resource_type: Patient, id: p, exists: true}\n"
    )
    cli("criteria", "record", "--sandbox", "b", "--store", store)
    found = cli("criteria", "check", criteria, "--sandbox", "b", "--store", store, "--json")
    assert (found.code, found.out) == (2, "")
    assert found.err == "assay: no FHIR server is configured for the sandbox 'b'\n"


def test_files_are_where_the_sandbox_has_them(cli: Cli, store: Path, tmp_path: Path) -> None:
    criteria, folder = tmp_path / "c.yaml", tmp_path / "files"
    criteria.write_text("- label: a\n  assertion: {assert: sftp-file-present, pattern: out/*.csv}\n")
    (folder / "out").mkdir(parents=True)
    cli("criteria", "record", "--sandbox", "b", "--files", folder.as_uri(), "--store", store)
    assert cli("criteria", "check", criteria, "--sandbox", "b", "--store", store).code == 1
    (folder / "out" / "x.csv").write_text("a,b")
    assert cli("criteria", "check", criteria, "--sandbox", "b", "--store", store).code == 0


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["check", CRITERIA, "--sandbox", "b", "--store", "{tmp}/none.db"], "there is no store"),
        (["check", CRITERIA, "--sandbox", "b", "--store", "{tmp}"], "can't be the file of a store"),
        (["check", "{tmp}/none.yaml", "--sandbox", "b"], "none.yaml can't be read"),
        (["check", CRITERIA], "--sandbox"),
        (["record", "--sandbox", "b", "--run-start", "today"], "'today' is no time"),
        (["record", "--sandbox", "b", "--run-start", "2026-03-01"], "needs a zone"),
        (["record", "--sandbox", "a\0b", "--store", "{tmp}/s.db"], "has a NUL character"),
        (["lint", "{tmp}/none.yaml"], "none.yaml can't be read"),
        (["lint", CRITERIA, "--allow", "x"], "there is no rule 'x'"),
        (["lint"], "FILE"),
        ([], "ACTION"),
    ],
)
def test_mistakes_are_one_sentence(cli: Cli, tmp_path: Path, argv: list[object], says: str) -> None:
    found = cli("criteria", *(str(one).replace("{tmp}", str(tmp_path)) for one in argv))
    assert (found.code, found.out, len(found.err.splitlines())) == (2, "", 1)
    assert says in found.err
    assert "Traceback" not in found.err


def test_lint_names_the_line(cli: Cli) -> None:
    found = cli("criteria", "lint", EXAMPLES / "mistakes.yaml", CRITERIA)
    lines = found.out.splitlines()
    assert (found.code, found.err) == (1, "")
    assert [line.removeprefix(f"{EXAMPLES}/").split(": ")[:2] for line in lines] == [
        ["mistakes.yaml:7", "no-effect"],
        ["mistakes.yaml:8", "impossible"],
        ["mistakes.yaml:14", "unsupported"],
        ["mistakes.yaml:17", "duplicate-label"],
        ["mistakes.yaml:20", "impossible"],
        ["scheduling.yaml", "nothing found"],
    ]


def test_lint_of_what_is_right(cli: Cli) -> None:
    assert cli("criteria", "lint", CRITERIA) == (0, f"{CRITERIA}: nothing found\n", "")


def test_lint_goes_on_after_a_file_that_can_not_be_read(cli: Cli, tmp_path: Path) -> None:
    broken = tmp_path / "b.yaml"
    broken.write_text("a: [\n")
    found = cli("criteria", "lint", broken, CRITERIA)
    assert (found.code, found.out) == (2, f"{CRITERIA}: nothing found\n")
    assert found.err.startswith(f"assay: {broken}:2: it is no valid YAML")


def test_a_criterion_that_wants_nothing_may_be_allowed(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(
        "- label: a\n  assertion:\n"
        "    {assert: fhir-resource-state, resource_type: Patient, search: {}, exists: false}\n"
    )
    found = cli("criteria", "lint", path)
    assert (found.code, found.out.count(": empty-sandbox: ")) == (1, 1)
    assert cli("criteria", "lint", path, "--allow", "empty-sandbox").code == 0


def test_names_of_others_can_not_move_the_cursor(cli: Cli, store: Path, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps([{"label": "a\x1b[31m\nb", "assertion": {"assert": "x\x1b"}}]))
    assert raw_characters(cli("criteria", "lint", path).out) == set()
    cli("criteria", "record", "--sandbox", "b\x1b", "--store", store)
    found = cli("criteria", "check", path, "--sandbox", "b\x1b", "--store", store)
    assert found.code == 1
    assert raw_characters(found.out) == set()


def test_lint_needs_no_database(tmp_path: Path) -> None:
    (tmp_path / "sqlalchemy.py").write_text("raise ImportError('it must not be imported')")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from assay.cli.main import main; "
    code += f"sys.exit(main(['criteria', 'lint', {str(CRITERIA)!r}]))"
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_a_fhir_server_is_asked_with_the_token_of_the_environment(
    cli: Cli, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    criteria = tmp_path / "c.yaml"
    criteria.write_text(
        "- label: a\n  assertion: {assert: fhir-resource-state, resource_type: Patient, id: p, exists: true}\n"
    )
    monkeypatch.setenv("ASSAY_FHIR_TOKEN", "token-1")
    with scripted(Reply(body={"resourceType": "Patient", "id": "p"}), Reply(status=403)) as server:
        cli("criteria", "record", "--sandbox", "b", "--fhir", server.url, "--store", store)
        assert cli("criteria", "check", criteria, "--sandbox", "b", "--store", store).code == 0
        refused = cli("criteria", "check", criteria, "--sandbox", "b", "--store", store)
    assert server.headers[0]["Authorization"] == "Bearer token-1"
    assert (refused.code, refused.out, "token-1" in refused.err) == (2, "", False)
