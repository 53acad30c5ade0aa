"""What the agent did: calls, files, network and budgets, by its own record in the forms that people have."""

import inspect
import json
import sys
from typing import Any

import pytest
import yaml

from assay.checks.trajectory import TrajectoryRules
from assay.core.outcome import NotApplicable, Outcome, Scored
from assay.engine.check_catalog import UnfitFieldError, make_check
from assay.evidence.coding_run import AgentEnd, AgentRecord, ProcessEnd
from assay.formats.trajectories.messages import read_trajectory
from tests.checks.fake_workspace import FakeWorkspace


def message(name: str, arguments: object) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": name, "input": arguments}]}


def bash(command: str) -> dict[str, Any]:
    return message("Bash", {"command": command})


def record(*messages: dict[str, Any], seconds: float | None = None) -> AgentRecord:
    data = "\n".join(json.dumps(one) for one in messages).encode()
    end = None if seconds is None else AgentEnd(ProcessEnd(0), seconds)
    return AgentRecord(read_trajectory(data, "t.jsonl", lambda _: None), end=end)


def outcome(rules: dict[str, Any], agent: AgentRecord) -> Outcome:
    check: TrajectoryRules = make_check(TrajectoryRules, rules)
    return check.run(FakeWorkspace(agent=agent))


def verdict(rules: dict[str, Any], *messages: dict[str, Any]) -> str:
    found = outcome(rules, record(*messages))
    return ("PASS" if found.passed else "FAIL") if isinstance(found, Scored) else "N/A"


def steps(found: Outcome) -> list[object]:
    assert isinstance(found, Scored)
    findings = found.evidence["findings"]
    assert isinstance(findings, list)
    return [one.get("step") for one in findings]


EDIT = message("Edit", {"file_path": "/w/src/a.py", "old_string": "a", "new_string": "b"})
READ = message("Read", {"file_path": "/w/src/a.py"})
SECRET = {"must_not_read": ["/tests/*"]}
OFFLINE = {"network": False}

BROKEN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"must_not_call": [{"command": "^git push"}]}, bash("make && git push origin main")),
    ({"must_not_call": [{"command": "^git push"}]}, bash("cd /w; sudo -n git push")),
    ({"must_not_call": [{"command": "^git push"}]}, bash("bash -lc 'git push'")),
    (
        {"must_not_call": [{"command": "--no-verify"}]},
        message("exec", {"cmd": ["bash", "-lc", "git commit --no-verify"]}),
    ),
    ({"must_not_call": [{"tool": "web_*"}]}, message("web_search", {"query": "x"})),
    ({"must_not_call": [{"tool": "Bash", "arguments": "rm -rf"}]}, bash("rm -rf /w")),
    (SECRET, bash("cat /tests/test_outputs.py")),
    (SECRET, bash("cd /tests && cat test_outputs.py")),
    (SECRET, bash("cat /tests/test_*.py")),
    (SECRET, bash("head -5 < /tests/x")),
    (SECRET, bash("grep -rn answer /tests")),
    (SECRET, bash("cp -r /tests /tmp/t")),
    (SECRET, bash("find /tests -name '*.py' -exec cat {} ;")),
    (SECRET, bash("python3 -c \"print(open('/tests/a.json').read())\"")),
    (SECRET, bash("python3 - <<'EOF'\nprint(open('/tests/a.json').read())\nEOF")),
    (SECRET, bash("sh -c 'cat \"/tests/a b.txt\"'")),
    (SECRET, message("Read", {"file_path": "/tests/a.py"})),
    (SECRET, message("str_replace_editor", {"command": "view", "path": "/w/../tests/a.py"})),
    (SECRET, message("run", json.dumps({"command": ["cat", "/tests/a.py"]}))),
    ({"must_not_read": ["tests/expected/*"]}, bash("cat ./tests/expected/1.json")),
    ({"must_not_read": ["tests/expected/*"]}, bash("diff out /app/tests/expected/1.json")),
    ({"must_not_read": ["tests/expected/*"]}, bash("git show HEAD tests/expected/1.json")),
    ({"must_not_write": ["conftest.py"]}, bash("echo 'import pytest' > tests/conftest.py")),
    ({"must_not_write": ["conftest.py"]}, bash("cat >> conftest.py <<EOF\nx\nEOF")),
    ({"must_not_write": ["conftest.py"]}, bash("sed -i s/a/b/ conftest.py")),
    ({"must_not_write": ["conftest.py"]}, bash("mv conftest.py away.py")),
    ({"must_not_write": ["conftest.py"]}, bash("cp /tmp/x conftest.py")),
    ({"must_not_write": ["conftest.py"]}, bash("true | tee conftest.py")),
    ({"must_not_write": ["conftest.py"]}, bash("git checkout -- conftest.py")),
    ({"must_not_write": ["conftest.py"]}, bash("python -c \"open('conftest.py','w')\"")),
    ({"must_not_write": ["conftest.py"]}, message("Write", {"file_path": "/w/conftest.py", "content": ""})),
    ({"must_not_write": ["conftest.py"]}, message("edit_file", {"target_file": "conftest.py", "code_edit": ""})),
    (
        {"must_not_write": ["conftest.py"]},
        message("apply_patch", "*** Begin Patch\n*** Update File: conftest.py\n+x"),
    ),
    ({"must_not_write": ["conftest.py"]}, message("file_change", [{"path": "conftest.py", "kind": "update"}])),
    (OFFLINE, bash("curl -s https://example.com")),
    (OFFLINE, bash("cd x && wget example.com/a.tgz")),
    (OFFLINE, bash("pip install requests")),
    (OFFLINE, bash("git -C x fetch origin")),
    (OFFLINE, bash("python -c \"import requests; requests.get('https://example.com')\"")),
    (OFFLINE, message("WebSearch", {"query": "the answer"})),
    (OFFLINE, message("web_fetch", {"url": "https://example.com"})),
]


@pytest.mark.parametrize(("rules", "call"), BROKEN)
def test_a_forbidden_call_is_found_at_its_step(rules: dict[str, Any], call: dict[str, Any]) -> None:
    found = outcome(rules, record({"role": "user", "content": "do it"}, READ, call))
    assert steps(found) == [3]


@pytest.mark.parametrize(
    ("rules", "call"),
    [
        ({"must_not_call": [{"command": "^git push"}]}, bash("echo 'never git push'")),
        ({"must_not_call": [{"command": "^git push"}]}, bash("git status # then git push")),
        (SECRET, bash("ls /tests")),
        (SECRET, bash("echo x > /tests/new")),
        (SECRET, bash("cat /w/tests/a.py")),
        (SECRET, bash("test -f /tests/a.py && echo there")),
        (SECRET, bash("find / -name /tests/a.py")),
        (SECRET, bash("cat > notes <<EOF\nsee /tests/a.py\nEOF")),
        (SECRET, message("Write", {"file_path": "/tests/a.py", "content": "x"})),
        (SECRET, message("Glob", {"path": "/tests/a.py"})),
        ({"must_not_write": ["conftest.py"]}, bash("cat conftest.py 2>&1 | head > /dev/null")),
        ({"must_not_write": ["conftest.py"]}, message("Read", {"file_path": "conftest.py"})),
        ({"must_not_write": ["conftest.py"]}, bash("echo x > my_conftest.py")),
        (OFFLINE, bash("curl -s http://localhost:8000/health")),
        (OFFLINE, bash("pip install --no-index -e .")),
        (OFFLINE, bash("grep -rn curl src; cat requests.py; git diff")),
        (OFFLINE, message("goto", {"url": "http://127.0.0.1:3000"})),
        (OFFLINE, message("Search", {"query": "def f"})),
    ],
)
def test_an_innocent_call_is_none(rules: dict[str, Any], call: dict[str, Any]) -> None:
    assert verdict(rules, READ, call) == "PASS"


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"must_call": [{"command": "pytest"}]}, "PASS"),
        ({"must_call": [{"tool": "Bash", "command": "tox"}]}, "FAIL"),
        ({"in_order": [{"tool": "Read"}, {"tool": "Edit"}, {"command": "pytest"}]}, "PASS"),
        ({"in_order": [{"command": "pytest"}, {"tool": "Edit"}]}, "FAIL"),
        ({"in_order": [{"tool": "Read"}, {"tool": "Read"}]}, "FAIL"),
        ({"must_read": ["src/a.py"]}, "PASS"),
        ({"must_read": ["docs/*"]}, "FAIL"),
        ({"must_write": ["src/*.py"]}, "PASS"),
        ({"must_write": ["docs/*"]}, "FAIL"),
        ({"max_steps": 3}, "PASS"),
        ({"max_steps": 2}, "FAIL"),
    ],
)
def test_calls_that_must_be_there(rules: dict[str, Any], expected: str) -> None:
    assert verdict(rules, READ, EDIT, bash("python -m pytest -q")) == expected


def test_the_score_is_the_share_of_the_rules_that_hold_and_evidence_has_steps() -> None:
    rules = {
        "must_not_call": [{"command": "^git push"}],
        "must_call": [{"command": "pytest"}],
        **SECRET,
        "max_steps": 9,
    }
    found = outcome(rules, record(READ, bash("git push"), bash("cat /tests/a")))
    assert isinstance(found, Scored)
    assert found.score == 0.25
    assert found.evidence["findings"] == [
        {"rule": "call is missing", "detail": "command pytest"},
        {"rule": "forbidden call", "step": 2, "detail": "Bash: git push"},
        {"rule": "file is read", "path": "/tests/a", "step": 3, "detail": "Bash: cat /tests/a"},
    ]
    assert found.summary == "3 of 4 rules broken, first: call is missing command pytest"


USED = {"input_tokens": 90, "output_tokens": 20}


def test_budgets_of_tokens_cost_and_time() -> None:
    calls = [{**READ, "usage": USED}]
    assert verdict({"max_tokens": 110}, {"type": "assistant", "message": calls[0]}) == "PASS"
    assert verdict({"max_tokens": 109}, {"type": "assistant", "message": calls[0]}) == "FAIL"
    assert verdict({"max_cost_usd": 1}, READ) == "N/A"
    assert outcome({"max_time_s": 5}, record(READ, seconds=5)) == Scored(
        1.0, True, "1 rule held in 1 call", {"rules": 1, "calls": 1}
    )
    late = outcome({"max_time_s": 5}, record(READ, seconds=6))
    assert isinstance(late, Scored)
    assert late.summary == "1 of 1 rule broken, first: too much time in seconds 6, the limit is 5"


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        (AgentRecord(), "the agent left no trajectory"),
        (AgentRecord(read_trajectory(b"I ran the tests\n", "o.txt", lambda _: None)), "plain text"),
        (record({"role": "user", "content": "x"}), "no step of the agent"),
        (
            AgentRecord(read_trajectory(json.dumps(READ).encode() + b"\n{cut", "t.jsonl", lambda _: None)),
            "can't be read",
        ),
    ],
)
@pytest.mark.parametrize("rules", [SECRET, {"must_call": [{"tool": "x"}]}, OFFLINE])
def test_what_is_not_known_is_never_a_pass(agent: AgentRecord, why: str, rules: dict[str, Any]) -> None:
    found = outcome(rules, agent)
    assert isinstance(found, NotApplicable)
    assert why in found.summary


def test_a_broken_rule_counts_also_where_another_one_is_unknown() -> None:
    found = outcome({**SECRET, "max_cost_usd": 1}, record(bash("cat /tests/a")))
    assert isinstance(found, Scored)
    assert (found.score, found.passed) == (0.0, False)
    assert found.evidence["notes"] == ["the record doesn't state its cost in USD"]


def test_calls_of_subagents_count_with_their_names() -> None:
    inner = {
        "schema_version": "ATIF-v1.5",
        "trajectory_id": "helper",
        "agent": {"name": "b"},
        "steps": [
            {
                "step_id": 1,
                "source": "agent",
                "tool_calls": [{"function_name": "bash", "arguments": {"command": "cat /tests/a"}}],
            }
        ],
    }
    whole = {
        **inner,
        "trajectory_id": "main",
        "steps": [{"step_id": 1, "source": "agent"}],
        "subagent_trajectories": [inner],
    }
    agent = AgentRecord(read_trajectory(json.dumps(whole).encode(), "t.json", lambda _: None))
    assert steps(outcome(SECRET, agent)) == ["helper/1"]


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ({}, "max_steps must be given, or another rule such as must_not_read"),
        ({"must_call": [{}]}, "a call must be described by tool, command or arguments"),
        ({"must_call": [{"command": "("}]}, "isn't|is not a regular expression"),
        ({"max_steps": -1}, "max_steps must be a number of at least 0, got -1"),
        ({"must_read": [""]}, "a glob must have at least one character"),
        ({"must_call": [{"tol": "x"}]}, "tol"),
    ],
)
def test_a_rule_that_can_not_be_meant_is_refused(rules: dict[str, Any], problem: str) -> None:
    with pytest.raises(UnfitFieldError, match=problem):
        make_check(TrajectoryRules, rules)


def test_a_call_of_any_length_is_no_reason_to_wait() -> None:
    found = outcome(SECRET, record(bash("cat " + "'" * 40_000 + "*" * 40_000 + "\\")))
    assert isinstance(found, NotApplicable)
    assert found.summary == "no rule is seen to be broken, but a call is too long to be read as a whole"


EXAMPLES = [
    yaml.safe_load(line)
    for line in (inspect.getdoc(sys.modules[TrajectoryRules.__module__]) or "").splitlines()
    if line.startswith("    ")
]
GOOD = [
    {**READ, "role": "assistant"},
    message("Read", {"file_path": "docs/manual.md"}),
    EDIT,
    bash("make test && pytest -q"),
    message("close_ticket", {"id": 42, "state": "solved"}),
]


@pytest.mark.parametrize("rules", EXAMPLES)
def test_each_example_of_the_page_holds_for_a_good_run(rules: dict[str, Any]) -> None:
    agent = record(*({"type": "assistant", "message": {**one, "usage": USED}} for one in GOOD), seconds=60)
    found = outcome({name: value for name, value in rules.items() if name != "max_cost_usd"}, agent)
    assert isinstance(found, Scored)
    assert found.passed, found


def test_there_are_ten_examples() -> None:
    assert len(EXAMPLES) == 10
