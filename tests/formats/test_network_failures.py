"""Lines that say that the network was not there."""

import pytest

from assay.formats.network_failures import LONGEST_LINE, network_failure


@pytest.mark.parametrize(
    "line",
    [
        "curl: (6) Could not resolve host: example.org",
        "W: Failed to fetch http://deb.example/x  Temporary failure resolving 'deb.example'",
        "E: Unable to locate package ripgrep",
        "E: Could not open lock file /var/lib/apt/lists/lock - open (13: Permission denied)",
        "ERROR: No matching distribution found for pytest==8.4.1",
        "WARNING: Retrying: NewConnectionError('<...>: Failed to establish a new connection: [Errno -2]')",
        "npm error code EAI_AGAIN",
        "npm ERR! network request to https://registry.example/x failed",
        "error sending request for url (https://example.org/simple/pytest/)",
        "socket.gaierror: [Errno -3] Temporary failure in name resolution",
        "OSError: [Errno 101] Network is unreachable",
        "fatal: unable to access 'https://example.org/a.git/': x",
        "wget: unable to resolve host address 'example.org'",
        "/tests/test.sh: line 4: uvx: command not found",
        "getaddrinfo ENOTFOUND example.org",
    ],
)
def test_what_a_missing_network_looks_like(line: str) -> None:
    assert network_failure(f"before\n{line}\nafter".encode()) == line


@pytest.mark.parametrize(
    "output",
    [
        "",
        "1 passed",
        "assert 0 == 1",
        "ConnectionRefusedError: [Errno 111] Connection refused",
        "solve: not found",
        "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Could not connect to server",
        "NewConnectionError: Failed to establish a new connection to http://127.0.0.1:8000/",
    ],
)
def test_what_does_not(output: str) -> None:
    assert network_failure(output.encode()) is None


def test_a_long_line_is_cut() -> None:
    assert len(network_failure(b"network is unreachable" + b"x" * 10**6) or "") == LONGEST_LINE
