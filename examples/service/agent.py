"""An agent that books a visit. It has a run token, and the addresses of the systems that it works in."""

import json
import socket
import urllib.request
from collections.abc import Callable

from assay.client import Client, Requests, ServiceError

VISIT = {
    "resourceType": "Appointment",
    "status": "booked",
    "start": "2026-06-05T15:30:00Z",
    "participant": [
        {"actor": {"reference": "Patient/p-412"}, "status": "accepted"},
        {"actor": {"reference": "Practitioner/d-7"}, "status": "accepted"},
    ],
}
ANNOUNCED = (
    "MSH|^~\\&|AGENT|CLINIC|HIS|CLINIC|20260601120000||SIU^S12|1|P|2.5\r"
    "SCH|1||||||||||||||||||||||||Booked\rPID|1||00412||Rivera^Ana\r"
)


def work(service: str, token: str, task_run: str, fhir: str, hl7_port: int, say: Callable[[str], None]) -> None:
    """Start the run, do what is asked, and complete it."""
    with Client(service, token) as client:
        started = client.start(task_run)
        print(f"agent: I was asked to {started['instruction']!r}")
        book(fhir)
        announce(hl7_port)
        say("Your visit is booked for June 5th at 3:30.")
        done = client.complete(task_run)
        axes = ", ".join(f"{name} {axis['score']:g}" for name, axis in done["axes"].items())
        print(f"agent: verdict {done['verdict']}, score {done['score']:g} ({axes})")
        print(f"agent: of a criterion I see {', '.join(sorted(done['criterion_runs'][0]))}")
        try:
            client.send(Requests.criterion_run(done["criterion_runs"][0]["id"]))
        except ServiceError as error:
            print(f"agent: I tried to read the evidence: {error}")


def book(fhir: str) -> None:
    request = urllib.request.Request(f"{fhir}/Appointment", json.dumps(VISIT).encode(), method="POST")  # noqa: S310
    urllib.request.urlopen(request, timeout=10).close()  # noqa: S310 - the clinic's own server


def announce(port: int) -> None:
    """Send an HL7 message over MLLP, and wait until it is acknowledged."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(b"\x0b" + ANNOUNCED.encode() + b"\x1c\r")
        if b"MSA|AA" not in connection.recv(1000):
            raise RuntimeError("the hospital did not accept the message")
