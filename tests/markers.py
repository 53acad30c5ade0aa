"""What a test needs from the machine, told by the fixtures it asks for and the place it is in.

``make test-fast`` leaves out what is marked here (sandbox, server, slow); no test is marked by hand.
"""

from collections.abc import Iterator

import pytest

SANDBOX_FIXTURES = {"_bubblewrap", "attack", "backend", "bubblewrap", "container", "isolation", "process"}
# Files whose tests start sandboxes without a fixture for one.
SANDBOX_FILES = (
    "sandbox/",
    "adapters/models/proxy/",
    "attacks/test_coding_capture.py::test_restored_tests_are_the_ones_that_run",
    "attacks/test_verifier",
    "cli/test_doctor",
    "cli/test_imported_modules",
    "cli/test_repeat",
    "cli/test_score",
    "cli/test_seed",
    "cli/test_tasks",
    "dialects/evaluation/test_whole_way",
    "test_evaluation_face",
    "test_faces_agree",
    "test_example_scenarios",
    "test_scorers_face",
)
# Programs of others that answer on loopback. Servers of a few lines inside of a test do not count.
SERVER_FIXTURES = {"fhir", "gcs", "postgres", "s3", "server", "sftp"}
SERVER_FILES = ("adapters/sources/files/test_sftp", "checks/criteria/test_fhir_server")

# Files whose tests start processes, wait, or take long for another reason.
SLOW_FILES = (
    "adapters/sources/files/test_folder",
    "adapters/store/",
    "adapters/test_fhir",
    "adapters/test_judge_model",
    "adapters/test_machine_lock",
    "adapters/test_reading_apart",
    "adapters/test_scorer_worker",
    "adapters/test_scoring_files",
    "adapters/test_seeding_files",
    "adapters/test_trees",
    "adapters/workspace/",
    "api/",
    "attacks/",
    "checks/criteria/test_any_state",
    "checks/test_every_type",
    "cli/test_judge",
    "cli/test_listen",
    "cli/test_reward_judge",
    "cli/test_verify",
    "core/test_total",
    "detectors/test_code/test_any_text",
    "dialects/evaluation/test_schema",
    "engine/test_trial_queue",
    "test_architecture",
    "test_error_sentences",
    "test_example_judge",
    "test_extras",
    "test_one_truth",
    "test_patterns",
    "test_service_example",
    "web/test_access",
    "web/test_browser",
    "web/test_pictures",
)

# Tests that watch processes, limits and the clock of the whole machine: one after the other, on one worker. They
# wait more than they compute, so the other workers have the processors meanwhile.
ONE_AT_A_TIME = (
    "sandbox/",
    "adapters/test_machine_lock",
    "attacks/test_resources",
    "attacks/test_rewards",
    "attacks/test_verifier",
    "attacks/test_workspace",
)


def markers_of(item: pytest.Item) -> Iterator[pytest.MarkDecorator]:
    """The markers of a test that was collected."""
    place = item.nodeid.removeprefix("tests/")
    asked = set(getattr(item, "fixturenames", ()))
    if asked & SANDBOX_FIXTURES or place.startswith(SANDBOX_FILES):
        yield pytest.mark.sandbox
    if asked & SERVER_FIXTURES or place.startswith(SERVER_FILES) or _on_postgres(item):
        yield pytest.mark.server
    if place.startswith(SLOW_FILES):
        yield pytest.mark.slow
    # The tests of a file run on one worker, so that its fixtures are set up once.
    yield pytest.mark.xdist_group("sandboxes" if place.startswith(ONE_AT_A_TIME) else place.partition("::")[0])


def _on_postgres(item: pytest.Item) -> bool:
    """The fixture asks for the server only once the test runs."""
    call = getattr(item, "callspec", None)
    return call is not None and call.params.get("where") == "postgresql"
