"""From an empty folder to a graded run, with a real service: python -m examples.service.run

Starts the service on a SQLite file in a temporary folder, a FHIR server and a gateway for HL7, lets an agent work
in them with a run token, and shows what the agent and its organisation see. Nothing is kept, and nothing leaves
this machine.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.client import Client, Requests
from examples.service.agent import work
from examples.service.systems import fhir_server, hl7_gateway

CRITERIA: list[dict[str, Any]] = [
    {
        "label": "the doctor's calendar has the visit",
        "axis": "correctness",
        "weight": 2,
        "assertion": {
            "assert": "fhir-resource-state",
            "resource_type": "Appointment",
            "search": {"patient": "Patient/{{patient.id}}"},
            "since": "run_start",
            "fields": [{"path": "status", "expected": "booked"}],
        },
    },
    {
        "label": "the hospital was told",
        "axis": "correctness",
        "assertion": {
            "assert": "hl7-structural",
            "message_type": "SIU^S12",
            "correlate_by": {"PID.3.1": "{{patient.mrn}}"},
            "since": "run_start",
            "fields": [{"path": "SCH.25.1", "expected": "Booked"}],
        },
    },
    {
        "label": "the caller heard the doctor's name",
        "axis": "communication",
        "assertion": {"assert": "voice-transcript", "speaker": "agent", "contains": ["Doctor Okafor"]},
    },
]
DATA = {"patient": {"id": "p-412", "mrn": "00412"}}


@contextmanager
def service(folder: Path) -> Iterator[tuple[str, str]]:
    """The address of a service, and its admin key."""
    command = [sys.executable, "-c", "from assay.cli.main import run; run()", "serve", "--port", "0"]
    options = ["--store", str(folder / "assay.db"), "--allow-source", "127.0.0.0/8"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout or iter(())
        address, key = next(said), next(said)
        try:
            yield address.split()[2], key.rsplit(" ", 1)[1].strip()
        finally:
            process.terminate()


def benchmark_run(admin: Client, fhir: str) -> dict[str, Any]:
    """A benchmark of one task, and a run of it: scored, so that the agent isn't told what it is graded by."""
    task = admin.send(
        Requests.create_task(
            "book a visit", CRITERIA, data=DATA, instruction="book a visit for June 5th", timeout_s=600.0
        )
    )
    admin.send(Requests.create_benchmark("visits"))
    version = admin.send(Requests.create_version("visits", [task["id"]]))["benchmark"]
    made: dict[str, Any] = admin.send(Requests.create_benchmark_run(version, scored=True))
    admin.send(Requests.put_source(made["task_runs"][0]["playground_id"], "fhir", url=fhir))
    return made


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="assay-service-") as folder,
        service(Path(folder)) as (url, key),
        fhir_server() as fhir,
        Client(url, key) as admin,
    ):
        made = benchmark_run(admin, fhir)
        [run] = made["task_runs"]

        def record(message: bytes) -> None:
            event = {"type": "hl7_outbound", "payload": message.decode()}
            admin.send(Requests.record(run["playground_id"], "events", event))

        def say(text: str) -> None:
            turn = {"number": 1, "speaker": "agent", "text": text}
            admin.send(Requests.record(run["playground_id"], "turns", turn))

        with hl7_gateway(record) as port:
            work(url, made["token"], run["id"], fhir, port, say)
        for one in admin.each("criterion-runs", task_run_id=run["id"]):
            print(f"organisation: {one['label']}: {one['details']}")
        ended = admin.send(Requests.benchmark_run(made["benchmark_run"]["id"]))
        result = f"{ended['verdict']} with {ended['score']:g}"
        print(f"organisation: {ended['benchmark']} is {ended['status']}, {result}")


if __name__ == "__main__":
    main()
