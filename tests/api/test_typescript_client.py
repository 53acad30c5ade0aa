"""A client in another language, generated from the description of the API: it compiles, and works."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.clinic import Clinic
from tests.builders import REPO

TOOLS = Path(sys.prefix, "typescript", "node_modules")
SOURCE = REPO / "tests" / "data" / "typescript" / "client.ts"
OPTIONS = ["--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "--outDir", "made"]


def ran(*command: object, folder: Path) -> str:
    done = subprocess.run(
        [str(one) for one in command], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client as JavaScript."""
    if shutil.which("node") is None or not (TOOLS / ".bin" / "openapi-typescript").exists():
        pytest.skip(
            "npm could not install openapi-typescript here, so no TypeScript client was generated and tested"
        )
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "node_modules").symlink_to(TOOLS)
    (folder / "package.json").write_text('{"type": "module"}')
    # What has a default need not be sent.
    generate = [TOOLS / ".bin" / "openapi-typescript", "--default-non-nullable=false", "-o", "assay.d.ts"]
    ran(*generate, REPO / "docs" / "reference" / "openapi.json", folder=folder)
    (folder / "client.ts").write_text(SOURCE.read_text().replace('"./assay"', '"./assay.js"'))
    ran(TOOLS / ".bin" / "tsc", *OPTIONS, "client.ts", folder=folder)
    return folder


def test_a_generated_client_compiles_and_works(clinic: Clinic, compiled: Path) -> None:
    said = ran("node", "made/client.js", clinic.client.base_url, clinic.keys["admin"], folder=compiled)
    assert said == "pass\n404 not_found\n"
