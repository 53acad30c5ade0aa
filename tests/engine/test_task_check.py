"""Tasks that can't be run are refused before anything is started."""

import pytest

from assay.core.errors import InputError
from assay.engine.task import Environment, Step
from assay.engine.task_check import check_task
from tests.tasks import agent_phase, make_task, verifier_phase


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (agent_phase(user="alice"), "/task: agent.user: the user 'alice' exists only in an image"),
        (verifier_phase(user="bob"), "/task: verifier.user: the user 'bob' exists only in an image"),
        (agent_phase(user=-5), "/task: agent.user: no user has the number -5"),
        (verifier_phase(user=2**32 - 1), "/task: verifier.user: no user has the number 4294967295"),
        (verifier_phase(env={"A=B": "x"}), "/task/task.toml: verifier.env: 'A=B' can't be set: "),
        (verifier_phase(env={"": "x"}), "/task/task.toml: verifier.env: '' can't be set: "),
        (verifier_phase(env={"A": "x\0--bind"}), "/task/task.toml: verifier.env: 'A' can't be set: "),
        (
            verifier_phase(env={"KEY": "${NOT_SET}"}),
            "/task/task.toml: verifier.env: the environment variable NOT_SET, which the task wants for KEY",
        ),
    ],
)
def test_what_would_only_fail_on_the_way_is_refused_before(step: Step, said: str) -> None:
    with pytest.raises(InputError) as refusal:
        check_task(make_task(step), {})
    assert str(refusal.value).startswith(said)


def test_what_will_do_is_not_refused() -> None:
    for step in (agent_phase(user="root"), agent_phase(user=1000), verifier_phase(env={"KEY": "${SET}"})):
        check_task(make_task(step), {"SET": "x"})
    check_task(make_task(agent_phase(user="alice"), environment=Environment("/app", image="image:1")), {})
