"""The same data give the same digits, on every version of Python and on every machine."""

import hashlib
import os
import subprocess
import sys

import pytest

from tests.builders import REPO, python_of_version

# Change it only together with a line in the changelog: reports will have other digits.
DIGITS = "4fa1fcde35f98ba79c9f3423377a2fd108b5ec8bd758bb1e4d08dbd4f78b58ad"


@pytest.mark.parametrize("version", ["this", "3.11", "3.12", "3.13"])
def test_the_digits_are_the_same_everywhere(version: str) -> None:
    python = sys.executable if version == "this" else python_of_version(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    script = str(REPO / "tests" / "stats" / "digits.py")
    # A seed of its own for hashes, so that nothing may depend on the order of a set.
    environment = os.environ | {"PYTHONPATH": str(REPO / "src"), "PYTHONHASHSEED": "random"}
    found = subprocess.run([python, script], env=environment, capture_output=True, check=True)
    assert hashlib.sha256(found.stdout).hexdigest() == DIGITS
