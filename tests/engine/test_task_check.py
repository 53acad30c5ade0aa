"""Tasks that can't be run are refused before anything is started."""

import pytest

from assay.core.errors import InputError
from assay.engine.tasks.prepare_task import check_task
from assay.engine.tasks.task import TaskEnvironment, TaskStep
from tests.tasks import agent_phase, make_task, verifier_phase


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            agent_phase(user="alice"),
            "/task/task.toml: agent.user must be root or a number, unless the task runs in an image, got 'alice'",
        ),
        (
            verifier_phase(user="bob"),
            "/task/task.toml: verifier.user must be root or a number, unless the task runs in an image, got 'bob'",
        ),
        (agent_phase(user=-5), "/task/task.toml: agent.user must be from 0 to 4294967294, got -5"),
        (
            verifier_phase(user=2**32 - 1),
            "/task/task.toml: verifier.user must be from 0 to 4294967294, got 4294967295",
        ),
        (verifier_phase(env={"A=B": "x"}), "/task/task.toml: verifier.env: 'A=B' can't be set: "),
        (verifier_phase(env={"": "x"}), "/task/task.toml: verifier.env: '' can't be set: "),
        (verifier_phase(env={"A": "x\0--bind"}), "/task/task.toml: verifier.env: 'A' can't be set: "),
        (
            verifier_phase(env={"KEY": "${NOT_SET}"}),
            "/task/task.toml: verifier.env: the environment variable NOT_SET must be set, because the task uses "
            "it for KEY",
        ),
    ],
)
def test_what_would_only_fail_on_the_way_is_refused_before(step: TaskStep, said: str) -> None:
    with pytest.raises(InputError) as refusal:
        check_task(make_task(step), {})
    assert str(refusal.value).startswith(said)


def test_what_will_do_is_not_refused() -> None:
    for step in (agent_phase(user="root"), agent_phase(user=1000), verifier_phase(env={"KEY": "${SET}"})):
        check_task(make_task(step), {"SET": "x"})
    check_task(make_task(agent_phase(user="alice"), environment=TaskEnvironment("/app", image="image:1")), {})
