"""What a plain installation has to do: everything that needs no extra."""

import re
import subprocess
import sys
import tomllib

import pytest

from assay.core.errors import DISTRIBUTION, install_hint
from tests.builders import REPO

WITHOUT = """
import sys

EXTRAS = {
    *("alembic", "asyncssh", "cryptography", "fhirpathpy", "google", "jsonpath_rfc9535"),
    *("opentelemetry", "procrastinate", "psycopg", "sqlalchemy", "starlette", "uvicorn"),
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


@pytest.mark.parametrize("face", ["client", "criteria", "evaluation", "harbor", "rewards", "scorers"])
def test_every_face_can_be_imported_without_extras(face: str) -> None:
    ran = without_extras(f"from assay import {face}\nfor name in {face}.__all__: getattr({face}, name)")
    assert (ran.returncode, ran.stderr) == (0, "")


COMMANDS = (
    "annotate audit completion criteria db doctor examples grade import judge keys listen outcome playground"
    " report reward run score seed serve tasks verify view worker"
)


@pytest.mark.parametrize("command", COMMANDS.split())
def test_every_command_has_its_help_without_extras(command: str) -> None:
    ran = without_extras(f"from assay.cli.main import run\nsys.argv = ['assay', '{command}', '--help']\nrun()")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith(f"usage: assay {command}")


def test_the_extras_are_absent() -> None:
    assert "No module named 'sqlalchemy'" in without_extras("import sqlalchemy").stderr


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
    assert (ran.stdout, ran.stderr) == ("tracing needs more packages: pip install 'assay-grading[otel]'\n", "")


PROJECT = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HINT = re.compile(r"install_hint\(['\"](\w+)['\"]\)|_packages\([^)]*\"(\w+)\"\)")
INSTALL = re.compile(r"pipx? install [^`\n]*?\bassay[^\s`]*|install assay\S*")


def test_a_hint_is_the_command_that_installs_what_is_missing() -> None:
    assert install_hint("service") == "pip install 'assay-grading[service]'"
    assert PROJECT["name"] == DISTRIBUTION


def test_every_extra_that_is_named_exists() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (REPO / "src").rglob("*.py")]
    named = {"".join(extra) for text in sources for extra in HINT.findall(text)}
    assert named == {
        "criteria",
        "google",
        "kubernetes",
        "mcp",
        "otel",
        "parquet",
        "postgres",
        "ray",
        "service",
        "sftp",
    }
    assert named <= PROJECT["optional-dependencies"].keys()


def test_nothing_tells_anybody_to_install_another_project() -> None:
    """'assay' on the package index belongs to somebody else."""
    kinds = (".py", ".md", ".yml", ".yaml", ".html", ".txt", ".toml")
    pages = [
        *(path for folder in ("src", "docs", "examples") for path in (REPO / folder).rglob("*")),
        *REPO.glob("*.*"),
    ]
    texts = {path: path.read_text(encoding="utf-8") for path in pages if path.suffix in kinds and path.is_file()}
    said = [(path.name, line) for path, text in texts.items() for line in INSTALL.findall(text)]
    assert said
    assert [line for line in said if not re.search(r"assay[-_]grading", line[1])] == []
