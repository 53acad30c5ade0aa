"""Which tests run one after the other, and which ``make search`` runs; no test is marked for it by hand."""

from collections.abc import Iterator

import pytest

from tests.sampling import SEARCHING

# Tests that watch processes, limits and the clock of the whole machine. They wait more than they compute, so that
# the other workers have the processors meanwhile.
ONE_AT_A_TIME = (
    "sandbox/",
    "adapters/test_machine_lock",
    "attacks/test_resources",
    "attacks/test_rewards",
    "attacks/test_verifier",
    "attacks/test_workspace",
)
# A server that one worker starts for all tests that use it.
SERVERS = ("postgres", "browser")
SEARCHED = {"SEARCHING", "sampled", "examples"}


def markers_of(item: pytest.Function) -> Iterator[pytest.MarkDecorator]:
    """The markers of a test that was collected."""
    yield pytest.mark.xdist_group(_group(item))
    if SEARCHING and (_on_postgres(item) or SEARCHED & vars(item.module).keys()):
        yield pytest.mark.search


def _group(item: pytest.Function) -> str:
    """The tests of a group run on one worker, one after the other: mostly those of a file, to share fixtures."""
    place = item.nodeid.removeprefix("tests/")
    if place.startswith(ONE_AT_A_TIME):
        return "one at a time"
    if _on_postgres(item):
        return "postgres"
    servers = [name for name in SERVERS if name in item.fixturenames]
    return servers[0] if servers else place.partition("::")[0]


def _on_postgres(item: pytest.Function) -> bool:
    """The fixture asks for the server only once the test runs."""
    call = getattr(item, "callspec", None)
    return call is not None and "postgresql" in (call.params.get("where"), call.params.get("served"))
