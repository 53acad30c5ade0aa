"""What is likely to be wrong with a task: a table of scripts, with what must be said of each and what must not."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.engine.tasks.task_lint import lint as all_findings
from assay.engine.tasks.task_reading import LintFinding, TaskFiles

R = "/logs/verifier/reward.txt"
J = "/logs/verifier/reward.json"


def files(
    script: str | None = None,
    *,
    tests: dict[str, str] | None = None,
    solution: dict[str, str] | None = None,
    environment: dict[str, str] | None = None,
    writable: frozenset[str] = frozenset(),
    settings: str = "",
    instruction: str = "Do it.",
    network: bool = True,
) -> TaskFiles:
    own = {} if script is None else {"test.sh": f"#!/bin/bash\n{script}\n"}
    return TaskFiles(
        {**own, **(tests or {})},
        {"solve.sh": "make"} if solution is None else solution,
        environment or {},
        writable,
        settings,
        instruction,
        ("/app", "/workspace"),
        network,
    )


def lint(found: TaskFiles) -> list[LintFinding]:
    """Without those on the value of the reward, which most scripts here don't bother about."""
    return [finding for finding in all_findings(found) if finding.rule != "always-passes"]


def rules(found: TaskFiles) -> list[str]:
    return [finding.rule for finding in lint(found)]


# --- A reward on every path ---

ALWAYS = [
    f"echo 1 > {R}",
    f"echo '{{\"reward\": 1}}' > {J}",
    f"pytest && echo 1 > {R} || echo 0 > {R}",
    f"if pytest; then echo 1 > {R}; else echo 0 > {R}; fi",
    f"if pytest; then\n  echo 1 > {R}\nelse\n  echo 0 > {R}\nfi",
    f"if a; then echo 1 > {R}; elif b; then echo 0.5 > {R}; else echo 0 > {R}; fi",
    f"if a; then echo 1; else echo 0; fi > {R}",
    f"pytest\nif [ $? -eq 0 ]; then echo 1 > {R}; else echo 0 > {R}; fi",
    f"echo 0 > {R}\npytest && echo 1 > {R}",
    f"{{ pytest && echo 1 || echo 0; }} > {R}",
    f"trap 'echo 0 > {R}' EXIT\npytest",
    f"cat > {R} <<EOF\n1\nEOF",
    f"cd /\npython3 - <<'PY'\nopen('{R}', 'w').write('1')\nPY",
    f"case $x in a) echo 1 > {R};; *) echo 0 > {R};; esac",
    f"if a; then echo 1 > {R}; exit 0; fi\necho 0 > {R}",
    f"read x <<< word\necho 1 > {R}",
    f"n=$((1 << 3))\necho 1 > {R}",
    f"for i in 1 2; do a; done\necho 1 > {R}",
    "pytest; assay reward --exit-status $?",
    "assay reward --rubric /tests/rubric.json --scores /tmp/scores.json",
    f"pytest \\\n  -q\necho $? > {R}",
    # A trap for the end, by name; and what is bound to succeed.
    f"finish() {{\n  echo $R > {R}\n}}\ntrap finish EXIT\npytest || exit 1",
    f"set -e\ntrap 'echo $R > {R}' EXIT\npytest\nR=1",
    f"set -e\ntrap 'echo 0 > {R}' ERR\npytest\necho 1 > {R}",
    f"cd /app || exit 1\nmkdir -p /logs/verifier || exit 1\necho 1 > {R}",
    # Code and programs that are given the file.
    "cd /\npython3 <<'PY'\nout = Path('/logs/verifier')\n(out / 'reward.json').write_text('x')\nPY",
    f"python3 /tests/check.py --out {J}",
    "LOGS=/logs/verifier\nX=1 /tests/check --out=$LOGS/reward.json",
]


@pytest.mark.parametrize("script", ALWAYS)
def test_a_reward_on_every_path_is_fine(script: str) -> None:
    assert rules(files(script)) == []


NOT_ALWAYS = [
    f"pytest && echo 1 > {R}",
    f"pytest || echo 0 > {R}",
    f"if pytest; then echo 1 > {R}; fi",
    f"if pytest; then echo 1 > {R}; else echo failed; fi",
    f"if a; then echo 1 > {R}; elif b; then echo 0 > {R}; fi",
    f"for i in 1 2; do echo 1 > {R}; done",
    f"while a; do echo 1 > {R}; done",
    f"case $x in a) echo 1 > {R};; esac",
    f"exit 0\necho 1 > {R}",
    f"if [ ! -f x ]; then exit 1; fi\necho 1 > {R}",
    f"[ -f x ] || exit 1\necho 1 > {R}",
    f"cat <<EOF\necho 1 > {R}\nEOF",
    f"# echo 1 > {R}\nif pytest; then echo 1 > {R}; fi",
    # To remove a reward, or to look at it, is not to write one.
    f"rm -f {R}\nif pytest; then echo 1 > {R}; fi",
    f"if [ -f {R} ]; then cat {R}; fi\npytest && echo 1 > {R}",
    f"touch {R}\npytest && echo 1 > {R}",
    f"trap 'rm -rf /tmp/x' EXIT\npytest && echo 1 > {R}",
    f"trap 'echo 0 > {R}' INT\npytest && echo 1 > {R}",
    f"cd /app/sub || exit 1\necho 1 > {R}",
]


@pytest.mark.parametrize("script", NOT_ALWAYS)
def test_a_path_without_a_reward_is_found(script: str) -> None:
    assert "reward-not-always" in rules(files(script))


def test_another_file_that_writes_it_and_is_not_always_run() -> None:
    found = rules(files("if pytest; then python3 /tests/grade.py; fi", tests={"grade.py": f"open('{J}', 'w')"}))
    assert found == ["reward-not-always"]


@pytest.mark.parametrize("script", ["pytest", "exit 0", "", "python3 /tests/grade.py"])
def test_a_verifier_that_writes_no_reward_at_all(script: str) -> None:
    assert lint(files(script)) == [
        LintFinding("no-reward", "tests", "no file in tests writes a reward to /logs/verifier")
    ]


@pytest.mark.parametrize(
    "grade",
    [
        f"json.dump({{'reward': 1}}, open('{J}', 'w'))",
        "assay.evaluation.write_artifacts('/logs/verifier', 1.0)",
        "helper.write_reward(1)",
    ],
)
@pytest.mark.parametrize(
    "script", ["python3 /tests/grade.py", "cd /tests\npython3 -m grade", "# reward.txt\npytest /tests", None]
)
def test_another_file_of_the_verifier_may_write_it(grade: str, script: str | None) -> None:
    assert rules(files(script, tests={"grade.py": grade})) == []


# --- set -e ---

SET_E = [
    ("set -e\npytest\necho 1 > {R}", 2),
    ("set -euo pipefail\npytest\necho 1 > {R}", 2),
    ("set -xe\npytest\necho 1 > {R}", 2),
    ("a\nset -e\npytest\necho 1 > {R}", 3),
    ("set -o errexit\npytest\necho 1 > {R}", 2),
    ("set -u -e\npytest\necho 1 > {R}", 2),
    ("set -e\nset +e\npytest\nset -e\npytest\necho 1 > {R}", 2),
    ("set -e\nx=$(cat /app/x)\necho 1 > {R}", 2),
    ("set -e\ncheck() {{\n  pytest\n}}\ncheck\necho 1 > {R}", 2),
    ("set -e\n(pytest)\necho 1 > {R}", 2),
    ("set -e\na && pytest\necho 1 > {R}", 2),
    ("set -e\nif a; then\n  pytest\nfi\necho 1 > {R}", 2),
    ("set -e\npip install pytest==8.4.1\nuv run pytest\necho 1 > {R}", 2),
    ("set -e\ncurl -sf http://localhost:8080/health\necho 1 > {R}", 2),
    ("set -e\n. ./check.sh\necho 1 > {R}", 2),
    ("set -e\ncargo c\necho 1 > {R}", 2),
    ("set -e\ngo tool cover\necho 1 > {R}", 2),
]


@pytest.mark.parametrize(("script", "line"), SET_E)
def test_a_verifier_that_ends_at_its_first_failure(script: str, line: int) -> None:
    why = "with set -e, a failed check ends the script without a reward"
    assert lint(files(script.format(R=R))) == [LintFinding("set-e", f"tests/test.sh:{line}", why)]


@pytest.mark.parametrize(
    "script",
    [
        "set -e\nif [ -f /app/a ]; then\n  echo a\nfi\necho 1 > {R}",
        "set -e\nfor one in a b; do\n  echo $one\ndone\nwhile [ -f /app/a ]; do\n  echo a\ndone\necho 1 > {R}",
        "set -e\ncase $1 in\n  a) echo a;;\nesac\necho 1 > {R}",
        "echo 0 > {R}\nset -e\npytest\necho 1 > {R}",
        "set -x\npytest\necho 1 > {R}",
        "set -o pipefail\npytest\necho 1 > {R}",
        "set -u\npytest\necho 1 > {R}",
        "set +e\npytest\necho 1 > {R}",
        "# set -e\npytest\necho 1 > {R}",
        "reset -e\necho 1 > {R}",
        # It minds no failure of a condition, and none where it is off.
        "set -e\nif pytest; then echo 1 > {R}; else echo 0 > {R}; fi",
        "set -e\npytest || true\necho 1 > {R}",
        "set -e\n{{ a; pytest; }} || true\necho 1 > {R}",
        "set -e\n! pytest\necho 1 > {R}",
        "set -e\ncd /app\nset +e\npytest\nset -e\necho 1 > {R}",
        "set -e\nX=1\nexport Y=2\nmkdir -p /logs/verifier\necho 1 > {R}",
        "set -e\npython3 /tests/check.py --out {R}",
        "cat <<EOF\nset -e\nEOF\necho 1 > {R}",
    ],
)
def test_what_is_no_set_e_or_comes_too_late_to_harm(script: str) -> None:
    assert rules(files(script.format(R=R))) == []


@pytest.mark.parametrize(
    "installing",
    [
        "apt-get update && apt-get -qq install -y curl",
        "pip install -q pytest",
        "pip install a || python3 -m pip install a",
        "curl -LsSf https://example.org/uv.sh | sh",
        "wget -qO- https://example.org/uv.sh | bash -s -- -y",
        "source $HOME/.local/bin/env",
        ". /opt/venv/bin/activate",
        "npm ci",
        "npm i",
        "uv tool install ruff",
        "npx playwright install-deps chromium",
    ],
)
def test_what_cannot_be_installed_needs_no_reward(installing: str) -> None:
    assert "set-e" not in rules(files(f"set -e\n{installing}\nset +e\npytest\necho 1 > {R}"))


# --- What is downloaded ---

UNPINNED = [
    "pip install pytest",
    "pip3 install pytest requests",
    "python3 -m pip install pytest",
    "uv pip install pytest",
    "uvx pytest",
    "pip install 'pytest>=8'",
    "apt-get update && apt-get install -y curl",
    "apt install curl",
    "apt-get -y -qq install curl",
    "npm install left-pad",
    "npm i left-pad",
    "npm install -g left-pad",
    "curl -LsSf https://astral.sh/uv/install.sh | sh",
    "wget -q http://example.org/data.csv",
    "git clone https://example.org/repo.git",
]


@pytest.mark.parametrize("line", UNPINNED)
def test_what_a_verifier_downloads_without_pinning_it(line: str) -> None:
    found = [one for one in lint(files(f"{line}\necho 1 > {R}")) if one.rule != "agents-modules"]
    assert [(finding.rule, finding.place) for finding in found] == [("unpinned", "tests/test.sh:2")]
    assert found[0].why.startswith("it downloads ")


PINNED = [
    "pip install pytest==8.4.1",
    "pip install -r /tests/requirements.txt",
    "pip install --requirement /tests/requirements.txt",
    "pip install /tests/wheels/x.whl",
    "pip install -e .",
    "pip install .",
    "uvx pytest==8.4.1",
    "uvx -p 3.13 -w pytest==8.4.1 pytest /tests",
    "apt-get install -y curl=7.88.1-10",
    "npm ci",
    "npm install",
    "npm install left-pad@1.3.0",
    "curl -sSf https://example.org/x -o x && echo 'abc  x' | sha256sum -c",
    # Nothing is downloaded.
    "pip --version",
    "pip list",
    "pip freeze > /tmp/installed",
    "pip uninstall -y x",
    "echo pip is missing",
    "curl -s http://localhost:8080/health",
    "curl -s http://127.0.0.1:8080/health",
    "curl --version",
    "git status",
]


@pytest.mark.parametrize("line", PINNED)
def test_what_is_pinned_or_no_download(line: str) -> None:
    assert rules(files(f"{line}\necho 1 > {R}")) == []


@pytest.mark.parametrize(
    ("dockerfile", "lines"),
    [
        ("FROM debian", [1]),
        ("FROM debian:latest", [1]),
        ("FROM debian AS base", [1]),
        ("from debian", [1]),
        ("FROM debian:12\nRUN pip install pytest", [2]),
        ("FROM debian:12\nRUN apt-get update && \\\n    apt-get install -y curl", [2]),
        ("FROM debian:12", []),
        ("FROM debian:12-slim AS base", []),
        ("FROM debian@sha256:0123", []),
        ("FROM scratch", []),
        ("FROM --platform=linux/amd64 debian:12", []),
        ("FROM --platform=linux/amd64 debian", [1]),
        ("FROM debian:12 AS base\nFROM base", []),
        ("FROM localhost:5000/debian", [1]),
        ("FROM localhost:5000/debian:12", []),
        ("# FROM debian", []),
    ],
)
def test_what_the_environment_takes_as_it_is_today(dockerfile: str, lines: list[int]) -> None:
    found = lint(files(f"echo 1 > {R}", environment={"Dockerfile": dockerfile}))
    assert [(one.rule, one.place) for one in found] == [
        ("unpinned", f"environment/Dockerfile:{line}") for line in lines
    ]


def test_scripts_of_the_environment_are_read_too_and_other_files_are_not() -> None:
    text = "pip install pytest\n"
    found = lint(files(f"echo 1 > {R}", environment={"setup.sh": text, "README.md": text}))
    assert [one.place for one in found] == ["environment/setup.sh:1"]


# --- Solutions and tests that are where they should not be ---

LONG = "print('this text is long enough not to be a coincidence')\n"


@pytest.mark.parametrize(
    ("line", "uses"),
    [
        ("bash /solution/solve.sh", True),
        ("diff out /solution/expected", True),
        ("sh solve.sh", True),
        ("ls /solutions", False),
        ("bash /usr/bin/resolve.sh", False),
        ("# bash /solution/solve.sh", False),
    ],
)
def test_a_verifier_that_uses_the_solution(line: str, uses: bool) -> None:
    found = lint(files(f"{line}\necho 1 > {R}"))
    expected = [LintFinding("solution-in-tests", "tests/test.sh:2", "it uses the solution")]
    assert found == (expected if uses else [])


def test_a_copy_of_the_solution_among_the_tests() -> None:
    found = lint(files(f"echo 1 > {R}", tests={"reference.py": LONG}, solution={"solve.py": LONG}))
    assert found == [LintFinding("solution-in-tests", "tests/reference.py", "it is a copy of the solution")]
    assert rules(files(f"echo 1 > {R}", tests={"empty": "short"}, solution={"solve.sh": "short"})) == []


def test_a_copy_of_the_tests_in_the_environment() -> None:
    why = "the agent gets a copy of tests/check.py that it can read and change"
    found = lint(files(f"echo 1 > {R}", tests={"check.py": LONG}, environment={"src/check.py": LONG}))
    assert found == [LintFinding("visible-tests", "environment/src/check.py", why)]


def test_a_verifier_that_everybody_may_write_to() -> None:
    found = lint(files(f"echo 1 > {R}", writable=frozenset({"tests/test.sh", "tests/data"})))
    assert [(one.rule, one.place) for one in found] == [
        ("writable-verifier", "tests/data"),
        ("writable-verifier", "tests/test.sh"),
    ]


def test_several_things_at_once_are_all_said() -> None:
    found = rules(files(f"set -e\npip install pytest\nbash /solution/solve.sh\npytest && echo 1 > {R}"))
    assert sorted(found) == ["reward-not-always", "set-e", "solution-in-tests", "unpinned"]


WORDS = st.lists(
    st.sampled_from(
        ["FROM ", "<<E", "E", "\n", "\\", "'", '"', "pip install ", "curl https://", f"R={R}", "$R", "> ", "x"]
    )
).map("".join)


@given(st.text() | WORDS, st.text() | WORDS)
@example("", "\\")
@example(f"R={R}\\dir/reward.txt\necho 1 > $R", "")
def test_no_text_makes_it_raise(script: str, dockerfile: str) -> None:
    for one in lint(files(script, environment={"Dockerfile": dockerfile, "x.sh": script})):
        assert one.rule
        assert one.place
        assert one.why


@pytest.mark.parametrize("line", ["FROM", "FROM ", "FROM --platform=linux/amd64", "FROM\\"])
def test_a_dockerfile_with_a_lonely_from_is_no_crash(line: str) -> None:
    assert set(rules(files(f"echo 1 > {R}", environment={"Dockerfile": line}))) <= {"unpinned"}


# --- Settings ---


def test_a_value_that_is_taken_for_another_type_is_named() -> None:
    found = lint(files(f"echo 1 > {R}", settings="[agent]\ntimeout_sec = true\n"))
    why = "agent.timeout_sec should be a number, got true, which harbor converts"
    assert found == [LintFinding("converted", "task.toml", why)]


def test_a_value_of_its_own_type_is_fine() -> None:
    assert lint(files(f"echo 1 > {R}", settings="[agent]\ntimeout_sec = 1\n")) == []


# --- Line ends ---


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"#!/bin/sh\r\necho 1 > {R}\r\n", ["line-ends"]),
        (f"#!/bin/sh\necho 1 > {R}\r\n", []),
        (f"echo 1 > {R}\r\n", []),
        (f"#!/bin/sh\necho 1 > {R}\n", []),
        ("", ["no-reward"]),
    ],
)
def test_lines_that_end_as_on_windows_hide_the_interpreter(text: str, found: list[str]) -> None:
    assert rules(files(tests={"test.sh": text})) == found


# --- Modules of the agent's ---


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("python3 -c 'import json'", True),
        ("python3 -m pytest /tests", True),
        ("/usr/bin/python3.11 -m pytest /tests", True),
        ("FOO=1 python -B -m pytest /tests", True),
        ("python3 - <<'PY'\nimport json\nPY", True),
        ("python3 <<'PY'\nimport json\nPY", True),
        ("score=$( python3 -c 'print(1)')", True),
        ("python3 -I -c 'import json'", False),
        ("python3 -P -m pytest /tests", False),
        ("python3 -Pc 'import json'", False),
        ("python3 /tests/grade.py -c 1", False),
        ("python3 -u /tests/grade.py", False),
        ("cd /\npython3 -c 'import json'", False),
        ("cd /tests && python3 -m pytest", False),
        ("cd sub\npython3 -m pytest", True),
        ("cd /app\npython3 -m pytest /tests", True),
        ('cd "/app/sub" && python3 -m pytest /tests', True),
        ("cd /tests\ncd /app\npython3 -m pytest /tests", True),
        ("pytest /tests", False),
        ("# python3 -m pytest", False),
        ("which python3", False),
    ],
)
def test_python_that_would_run_the_agents_modules(line: str, found: bool) -> None:
    assert ("agents-modules" in rules(files(f"{line}\necho 1 > {R}"))) is found


# --- Scripts that are for no shell ---


@pytest.mark.parametrize("first", ["#!/usr/bin/env python3", "#!/usr/bin/python3 -I", "#!/usr/bin/perl"])
def test_a_verifier_in_another_language_is_not_read_as_a_shells(first: str) -> None:
    text = f"{first}\nset -e\nif x: pip install y\nopen('{J}', 'w')\n"
    assert rules(files(tests={"test.sh": text})) == []


@pytest.mark.parametrize("first", ["#!/bin/bash -e", "#!/usr/bin/env -S bash -eu"])
def test_the_first_line_may_ask_for_an_end_at_the_first_failure(first: str) -> None:
    found = lint(files(tests={"test.sh": f"{first}\npytest\necho 1 > {R}\n"}))
    assert [(one.rule, one.place) for one in found] == [("set-e", "tests/test.sh:1")]


# --- What the verifier will not have ---


@pytest.mark.parametrize(
    ("line", "needs"),
    [
        ("apt-get update", True),
        ("apt-get install -y curl=1", True),
        ("pip install pytest==8.4.1", True),
        ("pip install -r /tests/requirements.txt", True),
        ("curl -LsSf https://astral.sh/uv/0.9.5/install.sh | sh", True),
        ("uvx -p 3.13 -w pytest==8.4.1 pytest /tests", True),
        ("uv run --with pytest==8 pytest", True),
        ("npm ci", True),
        ("pip install --no-index /tests/wheels/x.whl", False),
        ("echo 'pip install pytest'", False),
        ("curl -s http://localhost:8080/health", False),
        ("command -v curl pip uv", False),
        ("pytest /tests", False),
    ],
)
def test_a_download_without_a_network(line: str, needs: bool) -> None:
    script = f"{line}\n{line}\necho 1 > {R}"
    said = replace(files(script, network=False), says_no_network=True)
    for found, rule in ((files(script, network=False), "needs-network"), (said, "no-network")):
        assert [one.place for one in lint(found) if one.rule == rule] == (["tests/test.sh:2"] if needs else [])
    assert not {"no-network", "needs-network"} & set(rules(files(script, network=True)))


@pytest.mark.parametrize(
    ("instruction", "kept"),
    [
        ("Write /app/out.txt.", True),
        ("Write /workspace/out.txt.", True),
        ("Write out.txt.", True),
        ("Write /tmp/out.txt.", False),
        ("Write `/srv/out.txt`, please.", False),
        # The tests do not look there, or the environment brings it along.
        ("Write /tmp/other.txt.", True),
        ("Read /data/out.txt.", True),
        # No paths of files.
        ("See https://example.org/srv/out.txt", True),
        ("Answer GET /srv/out", True),
    ],
)
def test_a_place_of_which_the_verifier_sees_nothing(instruction: str, kept: bool) -> None:
    names = "/app/out.txt /workspace/out.txt /tmp/out.txt /srv/out.txt /data/out.txt"
    environment = {"Dockerfile": "FROM debian:12\nRUN mkdir /data"}
    found = lint(files(f"cat {names}\necho 1 > {R}", environment=environment, instruction=instruction))
    assert ("not-kept" in [one.rule for one in found]) is not kept
