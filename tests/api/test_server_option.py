"""Commands that ask a service: ``--server``, with the key from the environment or a file."""

import json
import shutil
import socket
from pathlib import Path

import pytest

from assay.cli.options import server as server_option
from assay.client import Client, Requests
from tests.api.clinic import Clinic, portal, said
from tests.builders import HARBOR_JOBS, REPO
from tests.cli.running import Cli


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.fixture
def url(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ASSAY_KEY", clinic.keys["admin"])
    return str(clinic.client.base_url)


def test_verify_completes_a_task_run(clinic: Clinic, cli: Cli, url: str) -> None:
    run = clinic.run(portal("status", "booked"), said("goodbye"))
    done = cli("verify", run, "--server", url)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("PARTIAL  score 0.5000\n")
    assert "status is booked" in done.out
    told = json.loads(cli("verify", run, "--server", url, "--json").out)
    assert (told["verdict"], told["criterion_runs"][0]["evidence"] != {}) == ("partial", True)


def test_verify_shows_nothing_of_a_scored_run_that_the_service_keeps(clinic: Clinic, cli: Cli, url: str) -> None:
    run = clinic.run(portal("status", "booked"), scored=True)
    done = cli("verify", run, "--server", url, "--json")
    assert done.code == 0
    assert json.loads(done.out)["criterion_runs"][0]["evidence"] == {}


def test_verify_needs_one_place(cli: Cli) -> None:
    for options in ([], ["--playground", "x.yaml", "--server", "http://127.0.0.1:1"]):
        refused = cli("verify", "x", *options)
        assert (refused.code, refused.err) == (2, "assay: --playground or --server must be given, and not both\n")


def test_keys_of_an_organisation(clinic: Clinic, cli: Cli, url: str) -> None:
    added = cli("keys", "add", "--server", url, "--scope", "reader", "--name", "dashboards")
    assert (added.code, added.err) == (0, "")
    identity, secret = added.out.split(",")[0], added.out.rsplit(" ", 1)[1].strip()
    assert clinic.ask("GET", "/v1/tasks", key=secret).status_code == 200
    rotated = cli("keys", "rotate", identity, "--server", url).out.rsplit(" ", 1)[1].strip()
    assert [clinic.ask("GET", "/v1/tasks", key=one).status_code for one in (secret, rotated)] == [401, 200]
    listed = cli("keys", "list", "--server", url).out
    assert f"{identity}  reader  ended  dashboards" in listed
    [new] = [line.split()[0] for line in listed.splitlines() if line.endswith("valid  dashboards")]
    assert cli("keys", "revoke", new, "--server", url).out == f"{new} is revoked\n"
    assert clinic.ask("GET", "/v1/tasks", key=rotated).status_code == 401
    refused = cli("keys", "list", "--server", url, "--store", "x.db")
    assert refused.err == "assay: --store must not be given with --server: the key says whose keys they are\n"


def test_annotate_a_run(clinic: Clinic, cli: Cli, url: str, tmp_path: Path) -> None:
    from assay.adapters.jobs.job_folder import DiskJobFolder  # noqa: PLC0415 - only here
    from assay.engine.explorer.imported_runs import import_job  # noqa: PLC0415
    from assay.engine.jobs.job import read_job  # noqa: PLC0415
    from tests.builders import REPO  # noqa: PLC0415

    import_job(
        clinic.service.imports, clinic.organisation, read_job(DiskJobFolder(REPO / "examples/jobs/tampered")), []
    )
    run = clinic.get("/v1/runs")["data"][0]["id"]
    given = ["--judgment", "fail", "--reviewer", "ana", "--category", "reading", "--notes", "wrong"]
    done = cli("annotate", run, "--server", url, *given)
    assert (done.code, done.out, done.err) == (0, "", "")
    [kept] = clinic.get(f"/v1/runs/{run}/annotations")["data"]
    assert (kept["reviewer_id"], kept["judgment"], kept["categories"]) == ("ana", "fail", ["reading"])


def test_a_key_in_a_file(
    clinic: Clinic, cli: Cli, url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ASSAY_KEY")
    file, link = tmp_path / "key", tmp_path / "link"
    file.write_text(f"{clinic.keys['admin']}\n")
    link.symlink_to(file)
    monkeypatch.setenv("ASSAY_KEY_FILE", str(link))
    assert cli("keys", "list", "--server", url).code == 0


@pytest.mark.parametrize(
    ("key", "file", "sentence"),
    [
        (
            "",
            "",
            "--server needs a key: put it into ASSAY_KEY, or into a file and the file's name into ASSAY_KEY_FILE",
        ),
        ("swordfish", "", "the key in ASSAY_KEY must be one line that begins with ask_"),
        ("ask_a b", "", "the key in ASSAY_KEY must be one line that begins with ask_"),
        ("", "/nowhere", "the file that ASSAY_KEY_FILE names can't be read: /nowhere (No such file or directory)"),
        ("ask_wrong", "", "send a valid key: Authorization: Bearer ask_… (401 unauthorized)"),
    ],
)
def test_a_key_that_can_not_be(
    clinic: Clinic, cli: Cli, monkeypatch: pytest.MonkeyPatch, key: str, file: str, sentence: str
) -> None:
    monkeypatch.setenv("ASSAY_KEY", key)
    monkeypatch.setenv("ASSAY_KEY_FILE", file)
    refused = cli("keys", "list", "--server", str(clinic.client.base_url))
    assert (refused.code, refused.out, refused.err) == (2, "", f"assay: {sentence}\n")
    assert "swordfish" not in refused.err


def test_a_service_that_is_not_there(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_KEY", "ask_x")
    monkeypatch.setattr(server_option, "PATIENCE_SEC", 0.1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        refused = cli("keys", "list", "--server", url)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == f"assay: the service at {url} can't be reached (ConnectError)\n"


def test_the_client_rotates_and_revokes(clinic: Clinic) -> None:
    with Client(str(clinic.client.base_url), clinic.keys["admin"]) as client:
        made = client.send(Requests.create_key("x", "reader"))
        again = client.send(Requests.rotate_key(made["key"]["id"]))
        assert client.send(Requests.revoke_key(again["key"]["id"]))["revoked_at"] is not None


def test_a_job_is_sent_as_an_archive(clinic: Clinic, cli: Cli, url: str) -> None:
    job = HARBOR_JOBS / "j1"
    sent = cli("import", job, "--server", url)
    assert (sent.code, sent.err) == (0, "")
    assert sent.out == "j1: 14 runs added, 0 known already\n"
    assert cli("import", job, "--server", url).out == "j1: 0 runs added, 14 known already\n"
    assert cli("import", job, "--server", url, "--name", "again").out == "again: 14 runs added, 0 known already\n"
    assert len(clinic.get("/v1/runs?job=j1&limit=100")["data"]) == 14


def test_each_job_of_a_folder_is_one_of_its_own(clinic: Clinic, cli: Cli, url: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(HARBOR_JOBS / "j1", tmp_path / "jobs" / name)
    sent = cli("import", tmp_path / "jobs", "--server", url)
    here = cli("import", tmp_path / "jobs", "--store", tmp_path / "store.db")
    assert (sent.code, sent.err, sent.out) == (0, "", here.out)
    assert [line.partition(":")[0] for line in sent.out.splitlines()] == ["one", "two"]
    refused = cli("import", tmp_path / "jobs", "--server", url, "--name", "both")
    assert refused.err == f"assay: --name must be for a single job, and {tmp_path / 'jobs'} has 2\n"


def test_what_is_no_job_is_not_sent(cli: Cli, url: str, tmp_path: Path) -> None:
    refused = cli("import", tmp_path, "--server", url)
    assert refused.code == 2
    assert "must be a job folder, but it has no config.json" in refused.err
    refused = cli("import", REPO / "examples" / "comparison" / "monday", "--server", url)
    assert "with --server, JOB must be a folder with " in refused.err
    refused = cli("import", HARBOR_JOBS / "j1", "--server", url, "--organisation", "acme")
    assert refused.err.startswith("assay: --organisation must not be given with --server: ")
