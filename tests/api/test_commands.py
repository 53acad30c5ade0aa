"""The commands of the service: serve, worker, keys and db, each as a process or in this one."""

import dataclasses
import json
import math
import shutil
import signal
import struct
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from assay.adapters.machine.local_machine import ThisServer
from assay.adapters.store.dump import dump_lines, load
from assay.adapters.store.opening import open_store
from assay.adapters.store.runs.imported import StoredImports
from assay.adapters.store.service.blobs import StoredBlobs
from assay.api.service import Service
from assay.core.errors import InputError, MeasurementError
from assay.engine.criteria.watched_sources import Playground
from assay.engine.explorer.blobs import KeptFile
from assay.engine.explorer.run_query import parse_run_query
from assay.engine.service.work import WorkKind
from assay.evidence.run import Run, State
from tests.adapters.store.databases import copied_database
from tests.api.clinic import Clinic, clinic_of, portal, said, serve_on, work_off
from tests.api.kept_runs import kept
from tests.cli.running import Cli, start_assay

ODD = {"nan": math.nan, "inf": -math.inf, "zero": -0.0, "big": 2**80 + 1, "small": 1e-7, "third": 1 / 3}


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def test_serve_on_a_fresh_machine(tmp_path: Path) -> None:
    store = tmp_path / "assay.db"
    began = time.monotonic()
    process = start_assay("serve", "--store", store, "--port", 0)
    assert process.stdout is not None
    address, key = process.stdout.readline(), process.stdout.readline()
    url, secret = address.split()[2], key.rsplit(" ", 1)[1].strip()
    assert address == f"assay serves {url} on {store}\n"
    assert key == f"admin key, shown only now: {secret}\n"
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {secret}"}, timeout=60) as client:
        assert client.get("/v1/tasks").json()["data"] == []
        task = client.post("/v1/tasks", json={"name": "x"}).json()["id"]
        run = client.post("/v1/task-runs", json={"task_id": task}).json()["id"]
        client.post(f"/v1/task-runs/{run}/start")
        later = client.post(f"/v1/task-runs/{run}/complete", headers={"Prefer": "respond-async"})
        assert later.status_code == 202
        while client.get(f"/v1/task-runs/{run}").json()["status"] == "active":
            assert time.monotonic() - began < 60
            time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    assert (store.stat().st_mode & 0o777, (tmp_path / "assay.db.key").stat().st_mode & 0o777) == (0o600, 0o600)
    again = start_assay("serve", "--store", store, "--port", 0, "--no-worker", "--log", "--rate", 100)
    assert again.stdout is not None
    assert again.stdout.readline().startswith("assay serves ")
    again.send_signal(signal.SIGINT)
    rest, logged = again.communicate(timeout=60)
    assert (again.returncode, "admin key" in rest, logged) == (0, False, "")


def test_a_worker_ends_after_its_work(where: str) -> None:
    process = start_assay("worker", "--store", where, "--threads", 1)
    assert process.stdout is not None
    assert "with 1 threads" in process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (("serve", "--port", "x"), "must be a port"),
        (("serve", "--single-user", "--workers", "2"), "must be served by one process"),
        (("serve", "--host", "203.0.113.77"), "can't listen on 203.0.113.77"),
        (("serve", "--allow-source", "10.0.0.0/99"), "an allowed source must be"),
        (("serve", "--store", "mysql://x"), "must be a SQLite file or a PostgreSQL database"),
        (("serve", "--rate", "0"), "must be a whole number of at least 1"),
        (("worker", "--store", "nothing.db"), "the store nothing.db doesn't exist"),
        (("keys", "revoke"), "KEY must be given to revoke or rotate a key"),
        (("keys", "add", "key_1"), "KEY must be given to revoke or rotate a key, and only then"),
        (("keys", "list", "--store", "nothing.db"), "the store nothing.db doesn't exist"),
        (("db", "export"), "FILE must be given for export and load"),
        (("db", "check", "--store", "nothing.db"), "the store nothing.db doesn't exist"),
    ],
)
def test_wrong_input(
    cli: Cli, argv: tuple[str, ...], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = cli(*argv)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err


@pytest.mark.parametrize("words", [("db", "load"), ("import",)])
def test_what_is_not_there_leaves_no_store_behind(cli: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    store = tmp_path / "new.db"
    found = cli(*words, tmp_path / "nowhere", "--store", store)
    assert (found.code, len(found.err.splitlines())) == (2, 1)
    assert not store.exists()


def test_keys_at_the_store(cli: Cli, where: str) -> None:
    added = cli("keys", "add", "--organisation", "north", "--scope", "reader", "--store", where, "--name", "ci")
    identity, secret = added.out.split(",")[0], added.out.rsplit(" ", 1)[1].strip()
    with serve_on(where) as served:
        asked = {"Authorization": f"Bearer {secret}"}
        assert httpx.get(f"{served.url}/v1/tasks", headers=asked).status_code == 200
        assert httpx.get(f"{served.url}/v1/keys", headers=asked).status_code == 403
        listed = cli("keys", "list", "--organisation", "north", "--store", where).out
        assert listed == f"{identity}  reader  valid  ci\n"
        assert cli("keys", "revoke", identity, "--organisation", "south", "--store", where).code == 2
        rotated = cli("keys", "rotate", identity, "--organisation", "north", "--store", where).out
        assert httpx.get(f"{served.url}/v1/tasks", headers=asked).status_code == 401
        asked = {"Authorization": f"Bearer {rotated.rsplit(' ', 1)[1].strip()}"}
        assert httpx.get(f"{served.url}/v1/tasks", headers=asked).status_code == 200
        identity = rotated.split(",")[0]
        revoked = cli("keys", "revoke", identity, "--organisation", "north", "--store", where)
        assert revoked.out == f"{identity} is revoked\n"
        assert httpx.get(f"{served.url}/v1/tasks", headers=asked).status_code == 401


@pytest.fixture
def filled(where: str) -> Iterator[tuple[Clinic, str]]:
    """A service in which something of everything happened."""
    with serve_on(where) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        clinic = clinic_of(served, client, "full")
        run = clinic.run(portal("status", "booked", weight=0.7), said("bye", weight=0.1), said("x", weight=0.2))
        clinic.post(f"/v1/task-runs/{run}/complete")
        playground = clinic.get(f"/v1/task-runs/{run}")["playground_id"]
        clinic.ask("PUT", f"/v1/playgrounds/{playground}/files/a.txt", content=b"\x00\xff")
        clinic.ask(
            "PUT", f"/v1/playgrounds/{playground}/sources/fhir", json={"url": "https://x.example", "token": "t"}
        )
        clinic.post(f"/v1/playgrounds/{playground}/events", {"type": "x", "payload_base64": "AP8="})
        clinic.post("/v1/benchmark-runs", {"benchmark": clinic.benchmark(clinic.task())})
        trajectory = KeptFile("trajectory", served.service.blobs.put([b"\x00 words"]))
        made = Run(
            job="job",
            name="odd",
            task="t",
            agent="a",
            dataset="d",
            state=State.PARTIAL,
            rewards=ODD,
            score=1e-7,
            cost_usd=0.1,
            axes={"safety": -0.0},
            metadata={"seed": 3},
        )
        found = kept(made, files=[trajectory], text="some words")
        served.service.imports.add_runs("full", [found])
        worked(served.service, run)
        yield clinic, where


def worked(service: Service, run: str) -> None:
    """Work that is done, that waits for another try, that waits for its first one, and that was set aside."""

    def down(_work: object) -> None:
        raise MeasurementError("down")

    again = dataclasses.replace(service.doing, coding=lambda: {WorkKind.GRADE_AGAIN.value: down})
    service.work.add("full", WorkKind.GRADE_AGAIN, "broken")
    service.work.add("full", WorkKind.COMPLETE_TASK_RUN, run)
    assert work_off(service, again)
    aside = service.work.add("full", WorkKind.COMPLETE_TASK_RUN, "aside")
    with service.storage.transaction() as rows:
        [row] = rows.every("work", id=aside.id)
        rows.remove("work", id=aside.id)
        over = {
            "id": "work_aside",
            "state": "set_aside",
            "tries": 3,
            "reason": "why",
            "finished_at": row["created_at"],
        }
        known = {name: row[name] for name in row if name not in over}
        rows.insert("work", [{**known, **over}])
    service.work.add("full", WorkKind.COMPLETE_TASK_RUN, "waits", priority=2)
    assert sorted(one["state"] for one in service.storage.every("work")) == [
        "done",
        "queued",
        "queued",
        "set_aside",
    ]


def test_everything_comes_back_to_the_last_bit(
    filled: tuple[Clinic, str], cli: Cli, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    _, where = filled
    file = tmp_path / "all.jsonl"
    assert cli("db", "export", file, "--store", where).code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    target = tmp_path / "copy.db"
    shutil.copy(request.getfixturevalue("migrated_file"), target)
    loaded = cli("db", "load", file, "--store", target)
    assert (loaded.code, loaded.err) == (0, "")
    with open_store(str(target)) as store:
        assert list(dump_lines(store)) == file.read_text().splitlines()
    assert cli("db", "load", file, "--store", target).err == (
        "assay: the store must be empty to be filled, but has criterion_runs\n"
    )
    assert cli("db", "export", file, "--store", where).code == 2


def test_numbers_of_runs_come_back_to_the_last_bit(
    filled: tuple[Clinic, str], tmp_path: Path, migrated_database: str
) -> None:
    """On the other kind of database, too; and files and words are found there."""
    _, where = filled
    other = str(tmp_path / "copy.db") if "://" in where else copied_database(migrated_database)
    with open_store(where) as store, open_store(other, create=True) as copy:
        load(copy, list(dump_lines(store)))
        asked = parse_run_query([("text", "words"), ("axis", "safety=0"), ("metadata", "seed=3")])
        imports = StoredImports(copy, ThisServer())
        [row] = imports.slice("full", asked).rows
        rewards = dict(row.rewards or {})
        assert (json.dumps(rewards), row.score) == (json.dumps(ODD), 1e-7)
        assert struct.pack("d", rewards["zero"]) == struct.pack("d", -0.0)
        [file] = imports.files("full", row.id)
        assert list(StoredBlobs(copy).read(file.blob.digest)) == [b"\x00 words"]
        before = StoredImports(store, ThisServer()).groups("full", parse_run_query([("by", "kind")]))
        assert imports.groups("full", parse_run_query([("by", "kind")])) == before


def test_parquet(filled: tuple[Clinic, str], cli: Cli, tmp_path: Path) -> None:
    clinic, where = filled
    folder = tmp_path / "tables"
    told = cli("db", "export", folder, "--parquet", "--store", where)
    assert (told.code, told.err) == (0, "")
    assert folder.stat().st_mode & 0o777 == 0o700
    parquet = pytest.importorskip("pyarrow.parquet", reason="PARQUET IS NOT TESTED: no pyarrow")
    found = parquet.read_table(folder / "runs.parquet").to_pylist()
    shown = {one["id"]: one for one in clinic.get("/v1/runs")["data"]}
    assert {one["id"] for one in found} == shown.keys()
    for one in found:
        assert (one["score"], one["task"]) == (shown[one["id"]]["score"], shown[one["id"]]["task"])
        assert one["created_at"] == datetime.fromisoformat(shown[one["id"]]["created_at"])
    assert [one["rewards"] for one in found if one["name"] == "odd"] == [json.dumps(ODD)]
    assert not (folder / "keys.parquet").exists()
    assert cli("db", "export", folder, "--parquet", "--store", where).code == 2
    assert cli("db", "check", "--parquet", "--store", where).code == 2


def test_a_copy_on_the_other_database_goes_on(filled: tuple[Clinic, str], migrated_database: str) -> None:
    clinic, where = filled
    other = copied_database(migrated_database)
    with open_store(where) as store, open_store(other) as copy:
        lines = list(dump_lines(store))
        load(copy, lines)
        assert list(dump_lines(copy)) == lines
    with serve_on(other) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        there = Clinic(served.service, client, clinic.keys, "full")
        work = {one["target"]: one for one in there.get("/v1/work")["data"]}
        assert (work["broken"]["tries"], work["broken"]["reason"]) == (1, "MeasurementError: down")
        assert there.post("/v1/work/work_aside/retry")["state"] == "queued"
        [old] = [one for one in there.get("/v1/task-runs")["data"] if one["status"] == "completed"]
        assert (old["score"], old["verdict"]) == (0.7, "partial")
        playground = old["playground_id"]
        there.post(f"/v1/playgrounds/{playground}/events", {"type": "x", "payload": "y"})
        assert [event.payload for event in served.service.store.events(playground, "x")] == [b"\x00\xff", b"y"]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "must be one that 'assay db export' wrote"),
        (["{}"], "must be one that 'assay db export' wrote"),
        (['{"assay_store": "9999"}'], "must be of the version"),
        (["FIRST", "{"], "a line isn't JSON"),
        (["FIRST", '["secrets", {}]'], "line 2: there is no table 'secrets'"),
    ],
)
def test_files_that_can_not_be_loaded(where: str, lines: list[str], why: str) -> None:
    with open_store(where) as store:
        first = next(iter(dump_lines(store)))
        with pytest.raises(InputError, match=why):
            load(store, [first if line == "FIRST" else line for line in lines])


def test_check_and_upgrade(cli: Cli, tmp_path: Path, where: str) -> None:
    checked = cli("db", "check", "--store", where)
    assert (checked.code, "up to date" in checked.out) == (0, True)
    empty = tmp_path / "empty.db"
    empty.touch()
    assert cli("db", "check", "--store", empty).code == 1
    assert cli("db", "upgrade", "--store", empty).code == 0
    assert cli("db", "check", "--store", empty).code == 0


def test_a_store_of_an_older_version_is_upgraded_with_its_content(tmp_path: Path) -> None:
    from alembic import command  # noqa: PLC0415 - only here
    from sqlalchemy import create_engine, text  # noqa: PLC0415

    from assay.adapters.store.migrate import alembic_config  # noqa: PLC0415

    path = tmp_path / "old.db"
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config: Any = alembic_config()
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        at = "2026-01-01 00:00:00.000000"
        values = f"('box', '{at}', '{at}', NULL, NULL, '{json.dumps({'a': 1})}')"
        columns = "id, created_at, run_start, fhir_base, file_source, data"
        connection.execute(text(f"INSERT INTO playgrounds ({columns}) VALUES {values}"))  # noqa: S608 - our own
    engine.dispose()
    with open_store(str(path)) as store:
        assert store.playground("box").data == {"a": 1}
    with serve_on(str(path)) as served:
        assert served.service.playgrounds.get("default", "box").data == {"a": 1}


def test_a_playground_that_was_worked_in_is_not_replaced(where: str) -> None:
    with serve_on(where) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        clinic = clinic_of(served, client, "replacing")
        store, now = served.service.store, served.service.host.now()
        box = clinic.post("/v1/playgrounds", {})["id"]
        clinic.ask("PUT", f"/v1/playgrounds/{box}/files/a.txt", content=b"x")
        clinic.ask("PUT", f"/v1/playgrounds/{box}/sources/fhir", json={"url": "https://x.example"})
        assert store.replace(Playground(box, now), []) == 0
        clinic.post(
            "/v1/task-runs", {"task_id": clinic.task(), "playground_id": clinic.post("/v1/playgrounds")["id"]}
        )
        used = clinic.get("/v1/task-runs")["data"][0]["playground_id"]
        with pytest.raises(InputError, match="task runs of the service worked in it"):
            store.replace(Playground(used, now), [])
