"""The services of the compose file as it describes them, on the PostgreSQL of the tests: there is no image of one.

``database``, by which they call it, is a port of loopback that leads to it.
"""

import base64
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx
import yaml
from sqlalchemy.engine import make_url

from assay.adapters.models.proxy import forward
from tests.adapters.store.databases import execute, postgres_server
from tests.builders import REPO

COMPOSE = REPO / "deploy" / "compose.yaml"
PATIENCE_SEC = 90.0


@contextmanager
def composed() -> Iterator[dict[str, Any]]:
    """The services of ours by their names. Raises whatever keeps PostgreSQL from starting."""
    password = "a-word-for-tests"  # noqa: S105 - of a database that ends with the test
    with postgres_server() as server, socket.create_server(("127.0.0.1", 0)) as listening:
        execute(server, f"CREATE ROLE assay LOGIN PASSWORD '{password}'", "CREATE DATABASE assay OWNER assay")
        folder = make_url(server).query["host"]
        passing_on = threading.Thread(target=_pass_on, args=(listening, f"{folder}/.s.PGSQL.5432"), daemon=True)
        passing_on.start()
        secret = base64.b64encode(os.urandom(32)).decode()
        text = interpolated(COMPOSE.read_text(), POSTGRES_PASSWORD=password, ASSAY_SECRET_KEY=secret)
        here = text.replace("@database/", f"@127.0.0.1:{listening.getsockname()[1]}/")
        assert here != text
        services = yaml.safe_load(here)["services"]
        for one in services.values():
            # Compose puts values into what is read already, so nothing is a text there.
            one["environment"] = {name: value or "" for name, value in one["environment"].items()}
        yield {name: one for name, one in services.items() if "build" in one}
        listening.shutdown(socket.SHUT_RDWR)
        passing_on.join(10)


def _pass_on(listening: socket.socket, path: str) -> None:
    with suppress(OSError):
        forward.serve(listening, path)


def interpolated(text: str, **values: str) -> str:
    """With values in place of variables, as compose puts them there."""

    def value(found: re.Match[str]) -> str:
        name, kind, default = found.groups()
        assert name in values or kind != ":?", f"{name} {default}"
        return values.get(name, default or "")

    return re.sub(r"\$\{(\w+)(?:(:[-?])([^}]*))?\}", value, text)


def complete_some(client: httpx.Client, secret: str, count: int = 4) -> None:
    """One process accepts completions, and another one does them."""
    client.headers["Authorization"] = f"Bearer {secret}"
    task = client.post("/v1/tasks", json={"name": "x", "criteria": []}).json()["id"]
    runs = [client.post("/v1/task-runs", json={"task_id": task}).json()["id"] for _ in range(count)]
    for run in runs:
        client.post(f"/v1/task-runs/{run}/start")
        later = client.post(f"/v1/task-runs/{run}/complete", headers={"Prefer": "respond-async"})
        assert later.status_code == 202, later.text
    wait_for(lambda: all(client.get(f"/v1/task-runs/{run}").json()["status"] == "completed" for run in runs))


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_SEC
    while True:
        with suppress(httpx.TransportError):
            if holds():
                return
        assert time.monotonic() < end
        time.sleep(0.1)
