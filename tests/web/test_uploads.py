"""Everything from the browser alone: jobs, workspaces and runs are sent with forms, graded, and graded again."""

import io
import re
import tarfile

import pytest

from assay.core.errors import InputError
from assay.engine.service.keys import Scope
from assay.web.multipart import boundary_of, parts_of
from tests.api.coding import packed
from tests.web.examples import GUESSES
from tests.web.people import Desk, Person


@pytest.fixture
def grader(desk: Desk) -> Person:
    return desk.client(Scope.GRADER)


def worked(desk: Desk) -> None:
    while desk.service.doing.step():
        pass


def send(person: Person, place: str, files: dict[str, bytes], **fields: str) -> tuple[int, str]:
    """Where an answer leads to, or what it says."""
    sent = {name: (f"{name}.bin", content) for name, content in files.items()}
    answer = person.client.post(f"/ui/{place}", data={"token": person.token(), **fields}, files=sent)
    return answer.status_code, answer.headers.get("location", answer.text)


def test_parts_of_a_form() -> None:
    boundary = boundary_of('multipart/form-data; boundary="a b"')
    assert boundary == b"--a b"
    body = (
        b'--a b\r\nContent-Disposition: form-data; name="x"\r\n\r\none\r\n\r\ntwo\r\n'
        b'--a b\r\nContent-Disposition: form-data; name="f"; filename="n"\r\n\r\n\r\n--a\r\n\r\n'
        b'--a b\r\nContent-Disposition: form-data; name="none"; filename=""\r\n\r\n\r\n--a b--\r\n'
    )
    assert parts_of(body, boundary) == ([("x", "one\r\n\r\ntwo")], {"f": b"\r\n--a\r\n"})
    assert boundary_of("application/x-www-form-urlencoded") is None
    with pytest.raises(InputError):
        parts_of(b"nothing", boundary)


def test_a_job_is_imported_with_a_form(desk: Desk, grader: Person) -> None:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        archive.add(GUESSES, "sent")
    assert send(grader, "jobs", {"archive": content.getvalue()}) == (303, "/ui/jobs/sent")
    assert "capital" in grader.get("jobs/sent").text
    assert "recorded result of sent" in grader.get("jobs/sent/audit").text
    status, text = send(grader, "jobs", {})
    assert (status, "choose a file" in text) == (422, True)
    assert send(grader, "jobs", {"archive": b"no archive"})[0] == 422
    reader = desk.client(Scope.READER)
    assert "Import a job" not in reader.get("jobs").text
    assert send(reader, "jobs", {"archive": content.getvalue()})[0] == 403
    assert desk.client().client.post("/ui/jobs", files={"archive": b"x" * 3_000_000}).status_code == 413


def test_a_scenario_begins_with_files_and_a_patch_of_them_is_graded(grader: Person, desk: Desk) -> None:
    files = packed({"add.py": "def add(a, b):\n    return a - b\n"})
    status, onward = send(grader, "archives", {"archive": files})
    assert status == 303
    place = re.search(r"sha256%3A[0-9a-f]{64}", onward)
    assert place is not None
    assert place[0].replace("%3A", ":") in grader.get(onward.removeprefix("/ui/")).text
    scenario = {
        "name": "adds",
        "user_instruction": "Make add add.",
        "workspace_seed.type": "archive",
        "workspace_seed.path": place[0].replace("%3A", ":"),
        "row": "0",
        "row.0.type": "command",
        "row.0.name": "adds",
        "row.0.command": "python3 -c 'import add; assert add.add(1, 2) == 3'",
        "row.0.required": "on",
        "action": "save",
    }
    saved = grader.post("scenarios/new", scenario)
    assert saved.status_code == 303, re.findall(r"<b>([^<]*)</b>", saved.text)
    seeded = grader.post(f"{saved.headers['location'].removeprefix('/ui/')}/seed")
    task = seeded.headers["location"].removeprefix("/ui/")
    worked(desk)
    assert "Grade a run" in grader.get(task).text
    patch = b"--- a/add.py\n+++ b/add.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"
    status, text = send(grader, f"{task}/run", {}, agent="ada")
    assert (status, "choose either" in text, 'value="ada"' in text) == (422, True, True)
    status, text = send(
        grader, f"{task}/run", {"patch": b"--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n"}, agent="ada"
    )
    assert (status, "the patch must be a patch of the baseline" in text) == (422, True)
    status, run = send(grader, f"{task}/run", {"patch": patch}, agent="ada")
    assert status == 303, run
    worked(desk)
    shown = grader.get(run.removeprefix("/ui/")).text
    assert "Make add add." in shown
    assert 'class="verdict is-passed"' in shown
    assert f'href="{run}"' in grader.get(task).text
    again = grader.post(f"{run.removeprefix('/ui/')}/gradings")
    assert again.status_code == 303, again.text
    worked(desk)
    assert "Grade it again" in grader.get(f"{run.removeprefix('/ui/')}?tab=gradings").text
    asked = grader.post(f"{run.removeprefix('/ui/')}/gradings", {"judge_only": "on"})
    assert (asked.status_code, "there is no judge to ask" in asked.text) == (409, True)


def test_the_judge_is_set_and_its_token_never_shown(desk: Desk) -> None:
    admin = desk.client(Scope.ADMIN)
    refused = admin.post(
        "judge", {"judge.url": "http://127.0.0.1:1/v1", "judge.models": "a\nb", "judge.token": "very-secret"}
    )
    assert refused.status_code == 422
    assert "very-secret" not in refused.text
    assert admin.get("judge").status_code == 200
    assert desk.client(Scope.GRADER).get("judge").status_code == 403
