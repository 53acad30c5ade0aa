"""A real FHIR server for tests: installs Medplum's router once, starts it, and loads official examples."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

SOURCE = Path(__file__).parent / "fhir"
TOKEN = "a-token-for-tests"  # noqa: S105 - of a server on loopback that ends with the test
EXAMPLES = (
    *("Patient-example", "Patient-pat1", "Patient-pat2", "Practitioner-example", "Location-1"),
    *("Appointment-example", "Appointment-2docs", "Appointment-examplereq"),
    *("Observation-example", "Observation-blood-pressure", "Observation-f001", "Observation-f002"),
    *("Coverage-9876B1", "MedicationRequest-medrx0301", "Encounter-example"),
)


class CannotStartError(Exception):
    """Why there is no server here."""


@dataclass(frozen=True)
class RunningServer:
    """Changes what is on the server, as an agent would."""

    base_url: str
    folder: Path
    client: httpx.Client

    def put(self, resource: dict[str, Any]) -> dict[str, Any]:
        return self._sent("PUT", f"/{resource['resourceType']}/{resource['id']}", resource)

    def post(self, resource: dict[str, Any]) -> dict[str, Any]:
        return self._sent("POST", f"/{resource['resourceType']}", resource)

    def delete(self, name: str) -> None:
        self._sent("DELETE", f"/{name}")

    def example(self, name: str) -> dict[str, Any]:
        """An official example, as it is published."""
        text = (self.folder / "node_modules" / "hl7.fhir.r4.examples" / f"{name}.json").read_text("utf-8")
        loaded: dict[str, Any] = json.loads(text)
        return loaded

    def _sent(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        response = self.client.request(method, self.base_url + path, json=body)
        response.raise_for_status()
        answered: dict[str, Any] = response.json()
        return answered


def installed() -> Path:
    """The folder with the server, installed if it is not there. Raises ``CannotStartError``."""
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if missing:
        raise CannotStartError(
            f"{' and '.join(missing)} must be installed to start a FHIR server (Node 20 or newer)"
        )
    wanted = b"".join((SOURCE / name).read_bytes() for name in ("package.json", "server.mjs"))
    folder = Path(sys.prefix) / "fhir-server" / hashlib.sha256(wanted).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "installed").exists():
            _install(folder)
    return folder


def _install(folder: Path) -> None:
    for name in ("package.json", "server.mjs"):
        shutil.copy(SOURCE / name, folder)
    command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise CannotStartError(f"npm can't install a FHIR server: {done.stderr.strip()[-300:]}")
    (folder / "installed").touch()


@contextmanager
def running() -> Iterator[RunningServer]:
    """A server with examples on it, for as long as the context lasts."""
    folder = installed()
    with subprocess.Popen(
        ["node", "server.mjs"],  # noqa: S607 - whichever node is there
        cwd=folder,
        env={**os.environ, "FHIR_TOKEN": TOKEN},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        base_url = process.stdout.readline().strip()
        if not base_url:
            raise CannotStartError("the FHIR server ended before it listened")
        with httpx.Client(headers={"Authorization": f"Bearer {TOKEN}"}, trust_env=False, timeout=60) as client:
            server = RunningServer(base_url, folder, client)
            for name in EXAMPLES:
                server.put(server.example(name))
            yield server
        process.stdin.close()
        process.wait(10)
