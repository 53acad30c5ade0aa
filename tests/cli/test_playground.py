"""``assay playground load``: a prepared state goes into a playground, all of it or nothing."""

import json
from pathlib import Path

import pytest

from assay.adapters.store.opening import open_store
from tests.cli.running import Cli


@pytest.fixture
def playground(tmp_path: Path) -> Path:
    path = tmp_path / "box" / "playground.yaml"
    path.parent.mkdir()
    path.write_text("{id: b, store: in/s.db, files: {folder: in/files}, fhir: {folder: in/fhir}}")
    return path


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    texts = {
        "a.jsonl": '{"record": "turn", "number": 1, "speaker": "agent", "text": "Hello."}\n',
        "b.jsonl": json.dumps({"record": "row", "resource": "r", "key": "k", "data": {}}) + "\n",
        "hl7/m.hl7": "MSH|^~\\&|\r",
        "x12/r.271": "ISA",
        "files/out/x.csv": "a,b",
        "fhir/p.json": '{"resourceType": "Patient", "id": "p"}',
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_everything_gets_to_its_place(cli: Cli, playground: Path, state: Path) -> None:
    store = playground.parent / "in" / "s.db"
    found = cli("playground", "load", playground, "--from", state)
    assert (found.code, found.out) == (0, f"loaded 4 records and 2 files into playground b of {store}\n")
    with open_store(str(store)) as opened:
        assert [one.payload for one in opened.events("b", "hl7_outbound")] == [b"MSH|^~\\&|\r"]
        assert [one.payload for one in opened.x12_responses("b")] == [b"ISA"]
        assert [one.text for one in opened.turns("b")] == ["Hello."]
        assert [one.key for one in opened.state_rows("b", "r")] == ["k"]
    assert (store.parent / "files" / "out" / "x.csv").read_text() == "a,b"
    assert (store.parent / "fhir" / "p.json").exists()


def test_a_playground_that_is_there_stays_unless_it_is_to_be_replaced(
    cli: Cli, playground: Path, state: Path
) -> None:
    folder = playground.parent / "in" / "files"
    cli("playground", "load", playground, "--from", state)
    refused = cli("playground", "load", playground, "--from", state)
    assert (refused.code, refused.err) == (2, f"assay: {folder} must be empty; --replace removes what is in it\n")
    (state / "files" / "out" / "x.csv").rename(state / "files" / "y.csv")
    assert cli("playground", "load", playground, "--from", state, "--replace").code == 0
    assert [str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()] == ["y.csv"]
    with open_store(str(playground.parent / "in" / "s.db")) as opened:
        assert len(opened.turns("b")) == 1


def test_without_a_folder_the_playground_is_empty(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("{id: b, store: s.db}")
    assert cli("playground", "load", path).out.startswith("loaded 0 records and 0 files into playground b of ")
    assert "the playground 'b' exists already" in cli("playground", "load", path).err


def test_one_bad_line_and_nothing_is_loaded(cli: Cli, playground: Path, state: Path) -> None:
    (state / "c.jsonl").write_text('{"record": "turn"}\n')
    found = cli("playground", "load", playground, "--from", state)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"assay: {state}/c.jsonl:1: number must be given, got nothing\n")
    assert not (playground.parent / "in" / "files").exists()
    with open_store(str(playground.parent / "in" / "s.db")) as opened:
        assert not opened.has_playground("b")


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("files: {folder: ../other}, fhir: {folder: f}", "must be below the folder of the playground file"),
        ("files: {folder: .}, fhir: {folder: f}", "must be below the folder of the playground file"),
        ("files: {folder: link}, fhir: {folder: f}", "must be below the folder of the playground file"),
        ("files: {folder: in}, fhir: {folder: f}", "s.db is in "),
        ("files: {folder: f}, fhir: {folder: f/g}", "which loading would empty"),
        ("fhir: {folder: f}", "the playground file names no folder for files"),
        ("files: {url: 's3://b'}, fhir: {folder: f}", "the playground file names no folder for files"),
    ],
)
def test_only_folders_beside_the_playground_file_are_filled(
    cli: Cli, playground: Path, state: Path, written: str, says: str
) -> None:
    (playground.parent / "link").symlink_to(state.parent)
    playground.write_text(f"{{id: b, store: in/s.db, {written}}}")
    found = cli("playground", "load", playground, "--from", state, "--replace")
    assert (found.code, found.out, says in found.err) == (2, "", True), found.err
    assert not (playground.parent / "in" / "s.db").exists()


def test_links_in_a_state_are_not_followed(cli: Cli, playground: Path, state: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (state / "files" / "link").symlink_to(tmp_path / "secret")
    assert cli("playground", "load", playground, "--from", state).code == 0
    assert not (playground.parent / "in" / "files" / "link").exists()


@pytest.mark.parametrize(
    ("name", "says"), [("event/x", "has a folder 'event'; a state has only hl7, x12, files, fhir and *.jsonl")]
)
def test_a_folder_of_another_name_is_refused(
    cli: Cli, playground: Path, state: Path, name: str, says: str
) -> None:
    (state / name).mkdir(parents=True)
    assert says in cli("playground", "load", playground, "--from", state).err


@pytest.mark.parametrize("folder", ["none", "box"])
def test_a_folder_without_a_state_is_refused(cli: Cli, playground: Path, tmp_path: Path, folder: str) -> None:
    found = cli("playground", "load", playground, "--from", tmp_path / folder)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"assay: {tmp_path / folder} ")
