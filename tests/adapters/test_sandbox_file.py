"""Sandbox files: what is refused, and where paths begin."""

from pathlib import Path

import pytest

from assay.adapters.sandbox_file import load_sandbox_file, new_sandbox
from assay.core.errors import InputError
from tests.builders import REPO


def load(folder: Path, text: str) -> str:
    path = folder / "s.yaml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "s.yaml:1: id: Field required"),
        ("id: ''", "at least 1 character"),
        ("id: b\nstor: x", "s.yaml:2: stor: Extra inputs"),
        ("id: b\nrun_start: 2025-06-02", "s.yaml:2: run_start"),
        ("id: b\nrun_start: 2025-06-02T12:00:00", "s.yaml:2: run_start: Input should have timezone"),
        ("id: b\nfhir: {}", "s.yaml:2: fhir: give a url or a folder"),
        ("id: b\nfhir: {url: x, folder: y}", "give a url or a folder"),
        ("id: b\nfhir: {folder: y, token_env: T}", "a folder needs no token"),
        ("id: b\nfhir: {url: y, token_env: T, google: true}", "not both"),
        ("id: b\nfiles: {folder: y, credentials: {A: B}}", "a folder needs no credentials"),
        ("id: b\nfiles: {}", "give a url or a folder"),
        ("id: b\nstore: s\nstore_env: S", "give store or store_env"),
        ("id: b\nstore: postgresql://u:secret@h/d", "name a variable that has the URL with store_env"),
    ],
)
def test_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        load_sandbox_file(load(tmp_path, text))
    assert says in str(caught.value)
    assert "secret" not in str(caught.value)


def test_paths_begin_at_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    monkeypatch.chdir(REPO)
    file = load_sandbox_file(load(tmp_path, "{id: b, fhir: {folder: a/../f}, files: {folder: g h}}"))
    assert (file.store, file.fhir and file.fhir.folder) == (str(tmp_path / "assay.db"), str(tmp_path / "f"))
    start = load_sandbox_file(load(tmp_path, "{id: b, run_start: '2025-06-02T12:00:00+02:00'}")).run_start
    assert start is not None
    assert start.isoformat() == "2025-06-02T12:00:00+02:00"
    assert new_sandbox(file, start).file_source == (tmp_path / "g h").as_uri()


@pytest.mark.parametrize(
    ("text", "store"),
    [("id: b", "elsewhere.db"), ("{id: b, store_env: OTHER}", "other.db"), ("{id: b, store: 'x://y'}", "x://y")],
)
def test_a_store_by_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, store: str) -> None:
    monkeypatch.setenv("ASSAY_STORE", "elsewhere.db")
    monkeypatch.setenv("OTHER", "other.db")
    assert load_sandbox_file(load(tmp_path, text)).store == store
