"""Stores are named by a path or a URL; what is neither is refused, and what is down is a broken measurement."""

import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.adapters.store.opening import open_store
from assay.core.errors import InputError, MeasurementError


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("mysql://u:secret@h/db", "a SQLite file or a PostgreSQL database, got mysql"),
        ("postgresql://u:secret@h:port/db", "the URL of the store must be like"),
        ("://", "the URL of the store must be like"),
        ("", "the store must be a file"),
        ("{tmp}", "the store must be a file"),
        ("{tmp}/no/such/folder.db", "can't be created: No such file or directory"),
        ("a\0b", "the store must be a file"),
    ],
)
def test_what_is_no_store(tmp_path: Path, where: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        open_store(where.format(tmp=tmp_path), create=True)
    assert "secret" not in str(caught.value)


def test_a_file_is_made_only_on_request_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "odd %41 name?x=1#.db"
    with pytest.raises(InputError, match="the store"):
        open_store(str(path))
    assert not path.exists()
    open_store(str(path), create=True).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("form", ["{path}", "sqlite:///{path}"])
def test_both_forms_of_a_path(tmp_path: Path, form: str) -> None:
    path = tmp_path / "s.db"
    open_store(form.format(path=path), create=True).close()
    assert path.exists()


def test_a_database_that_is_down_is_tried_again_and_is_no_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"postgresql://someone:secret@127.0.0.1:{closed.getsockname()[1]}/db?password=other"
        with pytest.raises(MeasurementError, match=r"can't be used: .*refused") as caught:
            open_store(url)
    assert len(pauses) >= 3
    assert pauses == sorted(pauses)
    assert "secret" not in str(caught.value)
    assert "other" not in str(caught.value)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(b"this is no database at all, but long enough" * 50)
    with pytest.raises(MeasurementError, match="can't be used: DatabaseError"):
        open_store(str(path))


def test_nothing_of_the_database_is_imported_before_it_is_opened() -> None:
    code = "import sys, assay.adapters.store.opening; print('sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(InputError, match=r"pip install .assay-grading\[criteria\]"):
        open_store(str(tmp_path / "s.db"), create=True)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(InputError, match=r"pip install .assay-grading\[postgres\]"):
        open_store("postgresql://someone@127.0.0.1/db")
