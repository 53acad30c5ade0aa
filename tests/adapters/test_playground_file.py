"""Playground files: what is refused, and where paths begin."""

from pathlib import Path

import pytest

from assay.adapters.playgrounds.playground_file import load_playground_file
from assay.core.errors import InputError
from assay.engine.criteria.watched_sources import new_playground
from tests.builders import REPO


def load(folder: Path, text: str) -> str:
    path = folder / "s.yaml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "s.yaml:1: id must be given, got nothing"),
        ("id: ''", "s.yaml:1: id must not be empty, got ''"),
        ("id: b\nstor: x", "s.yaml:2: stor must be one of the fields id, "),
        ("id: b\nstor: x", ", got 'stor' (did you mean store?)"),
        ("id: b\nrun_start: 2025-06-02", "s.yaml:2: run_start"),
        (
            "id: b\nrun_start: 2025-06-02T12:00:00",
            "s.yaml:2: run_start must be a time with its zone, such as 2026-03-01T12:00:00Z, got ",
        ),
        ("id: b\nfhir: {}", "s.yaml:2: fhir: give either url or folder"),
        ("id: b\nfhir: {url: x, folder: y}", "give either url or folder"),
        ("id: b\nfhir: {folder: y, token_env: T}", "a folder can't have token_env or google"),
        ("id: b\nfhir: {url: y, token_env: T, google: true}", "not both"),
        ("id: b\nfiles: {folder: y, credentials: {A: B}}", "a folder can't have credentials"),
        ("id: b\nfiles: {}", "give either url or folder"),
        ("id: b\nfiles: {url: 'sftp://h/', credentials: {ASSAY_SFTP_PASWORD: P}}", "'ASSAY_SFTP_PASSWORD' may be"),
        ("id: b\nfiles: {url: 's3://h/', credentials: {ASSAY_SFTP_KEY: P}}", "setting 'ASSAY_SFTP_KEY' for s3"),
        (
            "id: b\nfiles: {url: 's3://h/', credentials: {AWS_REGION: ''}}",
            "credentials.AWS_REGION must not be empty, got a value that isn't shown here",
        ),
        ("id: b\nstore: s\nstore_env: S", "give store or store_env"),
        ("id: b\nstore: postgresql://u:secret@h/d", "name an environment variable with the URL in store_env"),
        ("id: b\njudge: {url: 'http://h/v1'}", "s.yaml:2: judge.model must be given, got nothing"),
        ("id: b\njudge: {model: m}", "judge.url must be given, got nothing"),
        ("id: b\njudge: {url: 'http://h/v1', model: m, token: secret}", "judge.token must be one of the fields "),
        ("id: b\njudge: {url: 'http://u:secret@h/v1', model: m}", "judge.url: the URL of a judge must be like"),
        ("id: b\njudge: {url: 'http://h/v1?key=secret', model: m}", "judge.url: the URL of a judge must be like"),
        ("id: b\njudge: {url: 'file:///v1', model: m}", "judge.url: the URL of a judge must be like"),
        ("id: b\njudge: {url: 'http://h:99999/v1', model: m}", "judge.url: the URL of a judge must be like"),
        ("id: b\njudge: {url: 'http://h/ v1', model: m}", "judge.url: the URL of a judge must be like"),
        ("id: b\njudge: {url: 'http://h/v1', model: m, timeout_s: 0}", "judge.timeout_s must be "),
    ],
)
def test_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        load_playground_file(load(tmp_path, text))
    assert says in str(caught.value)
    assert "secret" not in str(caught.value)


def test_paths_begin_at_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    monkeypatch.chdir(REPO)
    file = load_playground_file(load(tmp_path, "{id: b, fhir: {folder: a/../f}, files: {folder: g h}}"))
    assert (file.store, file.fhir and file.fhir.folder) == (str(tmp_path / "assay.db"), str(tmp_path / "f"))
    start = load_playground_file(load(tmp_path, "{id: b, run_start: '2025-06-02T12:00:00+02:00'}")).run_start
    assert start is not None
    assert start.isoformat() == "2025-06-02T12:00:00+02:00"
    assert new_playground(file, start).file_source == (tmp_path / "g h").as_uri()


@pytest.mark.parametrize(
    ("text", "store"),
    [("id: b", "elsewhere.db"), ("{id: b, store_env: OTHER}", "other.db"), ("{id: b, store: 'x://y'}", "x://y")],
)
def test_a_store_by_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, store: str) -> None:
    monkeypatch.setenv("ASSAY_STORE", "elsewhere.db")
    monkeypatch.setenv("OTHER", "other.db")
    assert load_playground_file(load(tmp_path, text)).store == store


def test_a_judge_is_optional_and_patient_for_a_while(tmp_path: Path) -> None:
    assert load_playground_file(load(tmp_path, "id: b")).judge is None
    judge = load_playground_file(load(tmp_path, "{id: b, judge: {url: 'http://h/v1/', model: m}}")).judge
    assert judge is not None
    assert (judge.url, judge.token_env, judge.timeout_s, judge.json_schema) == ("http://h/v1", None, 30, True)
