"""What a plain installation has to do: everything that needs no extra."""

import subprocess
import sys

import pytest

WITHOUT = """
import sys

EXTRAS = {
    *("alembic", "asyncssh", "cryptography", "fhirpathpy", "google", "httpx", "jsonpath_rfc9535"),
    *("opentelemetry", "psycopg", "sqlalchemy", "starlette", "uvicorn"),
}


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}")


sys.meta_path.insert(0, Absent())
"""


def without_extras(lines: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + lines], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("face", ["client", "criteria", "evaluation", "harbor", "scorers"])
def test_every_face_can_be_imported_without_extras(face: str) -> None:
    ran = without_extras(f"from assay import {face}\nfor name in {face}.__all__: getattr({face}, name)")
    assert (ran.returncode, ran.stderr) == (0, "")


COMMANDS = (
    "annotate audit criteria db doctor grade import keys listen outcome playground report reward run score seed"
    " serve tasks verify worker"
)


@pytest.mark.parametrize("command", COMMANDS.split())
def test_every_command_has_its_help_without_extras(command: str) -> None:
    ran = without_extras(f"from assay.cli.main import run\nsys.argv = ['assay', '{command}', '--help']\nrun()")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith(f"usage: assay {command}")


def test_the_extras_are_absent() -> None:
    assert "No module named 'httpx'" in without_extras("import httpx").stderr


def test_traces_that_can_not_be_made_say_what_is_missing() -> None:
    ran = without_extras(
        """
from assay.adapters.machine.tracing import trace_if_configured
from assay.core.errors import InputError
try:
    trace_if_configured({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"})
except InputError as error:
    print(error)
"""
    )
    assert (ran.stdout, ran.stderr) == ("tracing needs more packages: install assay[otel]\n", "")
