"""Values of the host in a task's environment: ``${VAR}`` and ``${VAR:-default}``, as a whole or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.dialects.harbor.task_config import resolve_env

HOST = {"KEY": "secret", "EMPTY": "", "TRICK": "${KEY}"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("plain", "plain"),
        ("", ""),
        ("${KEY}", "secret"),
        ("${KEY:-other}", "secret"),
        ("${MISSING:-other}", "other"),
        ("${MISSING:-}", ""),
        ("${MISSING:-a:-b}", "a:-b"),
        ("${MISSING:-a}b}", "a}b"),
        ("${MISSING:-two\nlines}", "two\nlines"),
        # A variable that is set to nothing is set.
        ("${EMPTY}", ""),
        ("${EMPTY:-other}", ""),
        # What comes from the host is not looked at again.
        ("${TRICK}", "${KEY}"),
        # Not a template as a whole: taken as it stands.
        ("$KEY", "$KEY"),
        ("x${KEY}", "x${KEY}"),
        ("${KEY}x", "${KEY}x"),
        ("${KEY", "${KEY"),
        ("${}", "${}"),
        ("${KEY:x}", "${KEY:x}"),
        ("$${KEY}", "$${KEY}"),
    ],
)
def test_templates(value: str, expected: str) -> None:
    assert resolve_env({"A": value}, HOST) == {"A": expected}


def test_a_variable_that_is_not_set_fails_and_is_named() -> None:
    with pytest.raises(
        InputError, match="the environment variable MISSING must be set, because the task uses it for A"
    ):
        resolve_env({"A": "${MISSING}"}, HOST)


def test_nothing_of_the_host_comes_in_unasked() -> None:
    assert resolve_env({}, HOST) == {}
    assert list(resolve_env({"B": "1", "A": "${KEY}"}, HOST)) == ["B", "A"]


@given(st.text().filter(lambda text: not (text.startswith("${") and text.endswith("}"))))
def test_what_is_no_template_stays_as_it_is(value: str) -> None:
    assert resolve_env({"A": value}, HOST) == {"A": value}
