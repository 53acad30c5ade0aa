"""``assay doctor``: what this machine offers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.adapters.sandbox import backends
from assay.adapters.sandbox.backends import PROBES, plugged_names
from assay.core.errors import MeasurementError
from assay.version import ENGINE, VERSION
from tests.builders import REPO
from tests.cli.running import Cli
from tests.sandbox.backends import need, no_plain_processes


def missing() -> None:
    raise MeasurementError("it is not installed")


def test_every_backend_is_named_with_what_it_achieves_or_why_it_is_missing(cli: Cli) -> None:
    need("bubblewrap")
    found = cli("doctor")
    assert (found.code, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[0].startswith(f"assay {VERSION} (engine {ENGINE}), Python ")
    for name in PROBES:
        assert any(line in (f"{name}: works", f"{name}: answers", f"{name}: not available") for line in lines)
    part = found.out.partition("bubblewrap: works\n")[2].partition("\n\n")[0]
    assert "    no  see or touch processes of the machine" in part
    assert "    no  reach the network, unless the task asks for it" in part
    assert "YES" not in part


def test_json(cli: Cli) -> None:
    need("bubblewrap")
    found = json.loads(cli("doctor", "--json").out)
    assert (found["assay"], found["engine"]) == (VERSION, ENGINE)
    assert [sandbox["name"] for sandbox in found["sandboxes"]] == [*PROBES, *plugged_names()]
    for sandbox in found["sandboxes"]:
        assert sandbox["available"] is (sandbox["achieves"] is not None) is (sandbox["why_not"] == "")
    (bubblewrap,) = [sandbox for sandbox in found["sandboxes"] if sandbox["name"] == "bubblewrap"]
    assert bubblewrap["achieves"]["pid_namespace"] is True


def test_a_machine_with_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "PROBES", dict.fromkeys(PROBES, missing))
    monkeypatch.setattr(backends, "plugged_names", list)
    found = cli("doctor")
    assert found.code == 1
    assert found.out.count(": not available\n  it is not installed") == len(PROBES)
    assert [sandbox["why_not"] for sandbox in json.loads(cli("doctor", "--json").out)["sandboxes"]] == [
        "it is not installed"
    ] * len(PROBES)


def test_the_first_that_works_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    process = need("process").sandbox
    monkeypatch.setattr(
        backends, "PROBES", {"bubblewrap": missing, "container": missing, "process": lambda: process}
    )
    assert backends.choose("auto") is process


# As an ordinary user, with everything imported before root's files are out of reach.
ORDINARY = """
import os, sys
import resource
import assay.cli.doctor, assay.cli.main
from assay.adapters.sandbox import process, view_sandbox
from assay.adapters.sandbox.containers import container
os.environ["HOME"] = "/"
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
os.chdir("/")
sys.exit(assay.cli.main.main(["doctor"]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_as_an_ordinary_user_beside_root(tmp_path: Path) -> None:
    """The lock of the process sandbox may belong to somebody else."""
    with no_plain_processes():
        pass
    done = subprocess.run(
        [sys.executable, "-c", ORDINARY], cwd=REPO, capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in done.stderr
    assert "process: not available\n" in done.stdout
    assert done.stdout.startswith(f"assay {VERSION} ")
