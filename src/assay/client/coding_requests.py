"""Requests about coding runs, jobs and evaluation results."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from assay.client.requests import Json, Request, RequestAbout, part


class CodingRequests:
    """The requests of coding runs, job folders and evaluation results. Both clients send them.

    ``replace_scenario`` takes an id and the scenario, ``put_workspace`` that of a run and an archive. By an id
    alone: ``seed_task`` is for a scenario. ``coding_task`` asks for a seeded task, and ``workspace`` for the
    archive that an agent begins with there, as bytes. ``run`` asks for a run of any kind with its gates,
    ``gradings`` and ``files`` for what it has of these, such as its trajectory, diff and final response.
    ``cancel_coding_run`` closes a coding run.
    """

    replace_scenario = RequestAbout("PUT", "/scenarios/{}")
    put_workspace = RequestAbout("PUT", "/coding-runs/{}/workspace")
    seed_task = RequestAbout("POST", "/scenarios/{}/tasks")
    coding_task = RequestAbout("GET", "/coding-tasks/{}")
    workspace = RequestAbout("GET", "/coding-tasks/{}/workspace")
    cancel_coding_run = RequestAbout("POST", "/coding-runs/{}/cancel")
    run = RequestAbout("GET", "/runs/{}")
    gradings = RequestAbout("GET", "/runs/{}/gradings")
    files = RequestAbout("GET", "/runs/{}/files")

    @staticmethod
    def send_archive(content: bytes) -> Request:
        """An archive of files; the answer has the ``path`` for a scenario's ``workspace_seed``."""
        return Request("POST", "/archives", content)

    @staticmethod
    def create_scenario(scenario: Json) -> Request:
        return Request("POST", "/scenarios", scenario)

    @staticmethod
    def create_coding_run(task: str, agent: str, model: str | None = None, **more: Any) -> Request:
        return Request("POST", f"/coding-tasks/{part(task)}/runs", {"agent": agent, "model": model, **more})

    @staticmethod
    def put_log(run: str, path: str, content: bytes) -> Request:
        """A file of the agent's logs, such as ``trajectory.json`` or ``final_response.md``."""
        return Request("PUT", f"/coding-runs/{part(run)}/files/{quote(path)}", content)

    @staticmethod
    def complete_coding_run(run: str, turns: Sequence[Json] = (), status: str = "completed") -> Request:
        body = {"status": status, "turns": list(turns)}
        return Request("POST", f"/coding-runs/{part(run)}/complete", body)

    @staticmethod
    def grade_again(run: str, judge_only: bool = False) -> Request:
        return Request("POST", f"/runs/{part(run)}/gradings", {"judge_only": judge_only})

    @staticmethod
    def send_job(content: bytes, name: str | None = None) -> Request:
        """The archive of a job folder."""
        return Request("POST", "/jobs", content, {} if name is None else {"name": name})

    @staticmethod
    def job(identity: str, **question: str) -> Request:
        """A job with its report. ``question`` may have key, threshold, k and grading."""
        return Request("GET", f"/jobs/{part(identity)}", query=question)

    @staticmethod
    def send_evaluation_result(**told: Any) -> Request:
        """With ``run_id`` or ``trial``, and ``result`` or ``verifier``."""
        return Request("POST", "/evaluation-results", told)
