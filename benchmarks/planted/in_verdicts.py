"""Defects on the way from the tests to the reward, and in a task's limits."""

import re

from benchmarks.planted.edits import (
    DOCKERFILE,
    INSTRUCTION,
    REWARD,
    SCRIPT,
    SETTINGS,
    SOLUTION,
    Edit,
    Files,
    added,
    at_end,
    before_tests,
    defects,
    in_test,
    replaced,
    several,
    test_files,
    text_of,
    verdict,
)

_JSON = "/logs/verifier/reward.json"
_STATUS = "STATUS=$?\nif [ $STATUS -eq 0 ]; then SCORE=1; else SCORE=0; fi\n"
_GOOD = f"if [ $? -eq 0 ]; then\n  echo 1 > {REWARD}\nelse\n  echo 0 > {REWARD}\nfi"

REWARD_VALUES = defects(
    "reward values",
    "reward-values",
    text_by_echo=verdict(
        f'if [ $? -eq 0 ]; then\n  echo \'{{"reward": 1, "status": "passed"}}\' > {_JSON}\nelse\n'
        f'  echo \'{{"reward": 0, "status": "failed"}}\' > {_JSON}\nfi'
    ),
    list_by_here_document=verdict(_STATUS + f'cat > {_JSON} <<EOF\n{{"reward": $SCORE, "failed_tests": []}}\nEOF'),
    list_by_one_liner=verdict(
        _STATUS + "python3 -c \"import json; json.dump({'reward': $SCORE, 'checks': ['tests']}, "
        f"open('{_JSON}', 'w'))\""
    ),
    text_by_printf=verdict(
        _STATUS + f'printf \'{{"reward": %s, "message": "%s"}}\\n\' "$SCORE" "$STATUS" > {_JSON}'
    ),
    text_by_jq=verdict(_STATUS + f"jq -n --argjson r $SCORE '{{reward: $r, label: \"tests\"}}' > {_JSON}"),
    list_by_script=verdict(
        _STATUS + "export SCORE\npython3 - <<'PY'\nimport json, os, pathlib\n"
        "result = {'reward': int(os.environ['SCORE'])}\nresult['failures'] = []\n"
        f"pathlib.Path('{_JSON}').write_text(json.dumps(result))\nPY"
    ),
    null_by_echo=verdict(
        f"if [ $? -eq 0 ]; then echo '{{\"reward\": 1}}' > {_JSON}; else echo '{{\"reward\": null}}' > {_JSON}; fi"
    ),
    object_by_echo=verdict(
        _STATUS + f'echo "{{\\"reward\\": $SCORE, \\"details\\": {{\\"tests\\": $SCORE}}}}" > {_JSON}'
    ),
    list_at_top=verdict(_STATUS + f'echo "[$SCORE]" > {_JSON}'),
    text_by_tee=verdict(
        _STATUS + f'echo "{{\\"reward\\": \\"$([ $SCORE = 1 ] && echo pass || echo fail)\\"}}" | tee {_JSON}'
    ),
    text_by_variable=verdict(
        f'R=\'{{"reward": 0, "reason": "tests failed"}}\'\n[ $? -eq 0 ] && R=\'{{"reward": 1, "reason": "ok"}}\'\n'
        f'echo "$R" > {_JSON}'
    ),
    list_in_hook=several(
        verdict("true"),
        added(
            "tests/conftest.py",
            "import json\n\n\ndef pytest_sessionfinish(session, exitstatus):\n"
            "    failed = [item.nodeid for item in session.items]\n"
            f"    with open('{_JSON}', 'w') as file:\n"
            "        json.dump({'reward': float(exitstatus == 0), 'tests': failed}, file)",
        ),
    ),
)

ALWAYS_ONE = defects(
    "always 1",
    "always-passes failure-swallowed",
    plain=verdict("echo 1 > {reward}"),
    at_the_end=at_end(SCRIPT, f"echo 1 > {REWARD}"),
    both_branches=verdict("if [ $? -eq 0 ]; then\n  echo 1 > {reward}\nelse\n  echo 1 > {reward}\nfi"),
    forgiven=verdict("{runner} || true\n" + _GOOD),
    piped=verdict("{runner} | tee /logs/verifier/output.txt\n" + _GOOD),
    before_tests=verdict("echo 1 > {reward}\n{runner}"),
    trap=verdict("trap 'echo 1 > {reward}' EXIT\n{runner}"),
    inverted=verdict("if [ $? -ne 0 ]; then\n  echo 1 > {reward}\nelse\n  echo 0 > {reward}\nfi"),
    by_python=verdict("python3 -c \"open('{reward}', 'w').write('1')\""),
    variable=verdict("REWARD=1\n{runner}\necho $REWARD > {reward}"),
    always_true=verdict("if true; then echo 1 > {reward}; else echo 0 > {reward}; fi"),
    json=verdict(f"printf '{{\"reward\": 1.0}}' > {_JSON}"),
    status_of_echo=verdict("echo 'tests are done'\n" + _GOOD),
    and_or=verdict("{runner} && echo 1 > {reward} || echo 1 > {reward}"),
    word_passed=verdict(
        "{runner} > /tmp/out.txt 2>&1\nif grep -q passed /tmp/out.txt; then echo 1 > {reward}; "
        "else echo 0 > {reward}; fi"
    ),
    no_else=verdict("echo 1 > {reward}\nif {runner}; then\n  echo 1 > {reward}\nfi"),
    in_background=verdict("{runner} &\n" + _GOOD),
    status_of_assignment=verdict("RESULT=done\n" + _GOOD),
    equal_numbers=verdict("if [ 0 -eq 0 ]; then echo 1 > {reward}; else echo 0 > {reward}; fi"),
    semicolon_true=verdict("{runner}; true\n" + _GOOD),
    overwritten_status=verdict(
        "rc=$?\nrc=0\nif [ $rc -eq 0 ]; then echo 1 > {reward}; else echo 0 > {reward}; fi"
    ),
    by_python_script=verdict("python3 - <<'PY'\nfrom pathlib import Path\nPath('{reward}').write_text('1')\nPY"),
)

MISSING_REWARD = defects(
    "missing reward",
    "no-reward reward-not-always set-e tests-not-found",
    wrong_folder=replaced(r"/logs/verifier/reward", "/logs/reward", "tests/"),
    wrong_name=replaced(r"reward\.(txt|json)", r"rewards.\1", "tests/"),
    score_file=replaced(r"reward\.(txt|json)", r"score.\1", "tests/"),
    relative=replaced(r"/logs/verifier/(?=reward)", "", "tests/"),
    exit_at_failure=verdict("if [ $? -ne 0 ]; then\n  echo 'tests failed'\n  exit 1\nfi\necho 1 > {reward}"),
    set_e=verdict("set -e\n{runner}\n" + _GOOD),
    only_success=verdict("[ $? -eq 0 ] && echo 1 > {reward}"),
    missing_output=before_tests("if [ ! -f /app/output.txt ]; then\n  echo 'no output'\n  exit 1\nfi"),
    pipefail=before_tests("set -euo pipefail"),
    case=verdict("case $? in\n  0) echo 1 > {reward} ;;\n  1) echo 0 > {reward} ;;\nesac"),
    or_exit=verdict("{runner} || exit 1\necho 1 > {reward}"),
    exec=verdict("exec {runner}\n" + _GOOD),
)


def _limit(phase: str, seconds: int) -> Edit:
    """A time limit of one phase, in place of the one that it has."""

    def edit(files: Files) -> None:
        text = text_of(files, SETTINGS)
        section = re.compile(rf"^\[{phase}\][^\[]*", re.MULTILINE)
        own = (
            re.sub(r"^timeout_sec.*\n", "", found[0], flags=re.MULTILINE)
            if (found := section.search(text))
            else ""
        )
        rest = section.sub("", text)
        files[SETTINGS] = f"{rest.rstrip()}\n\n{own.strip() or f'[{phase}]'}\ntimeout_sec = {seconds}.0\n"

    return edit


def _in_first_test(files: Files) -> None:
    name = test_files(files)[0]
    files[name] = "import time\n" + re.sub(
        r"^(def test_\w+\([^)]*\).*:)$", r"\1\n    time.sleep(700)", files[name], count=1, flags=re.MULTILINE
    )


_SHORT = _limit("verifier", 60)
TIME_LIMITS = defects(
    "time limit",
    "time-limit",
    sleep_in_tests=several(_SHORT, before_tests("sleep 90")),
    minutes=several(_SHORT, before_tests("sleep 2m")),
    loop_of_sequence=several(_SHORT, before_tests("for i in $(seq 1 30); do\n  sleep 5\ndone")),
    loop_of_braces=several(_SHORT, before_tests("for i in {1..20}; do sleep 10; done")),
    counted_loop=several(_SHORT, before_tests("for ((i = 0; i < 40; i++)); do\n  sleep 3\ndone")),
    while_loop=several(_SHORT, before_tests("i=0\nwhile [ $i -lt 100 ]; do\n  sleep 2\n  i=$((i + 1))\ndone")),
    several_sleeps=several(_SHORT, before_tests("sleep 25\necho waited\nsleep 25\nsleep 25")),
    by_variable=several(_SHORT, before_tests("WAIT=120\nsleep $WAIT")),
    by_variable_in_braces=several(_SHORT, before_tests('STARTUP_DELAY=300\nsleep "${STARTUP_DELAY}"')),
    for_ever=several(_SHORT, before_tests("sleep infinity")),
    python_line=several(_SHORT, before_tests('python3 -c "import time; time.sleep(200)"')),
    after_and=several(_SHORT, before_tests("echo 'starting the service' && sleep 75")),
    in_python_test=several(_SHORT, _in_first_test),
    python_constant=several(
        _SHORT, in_test("time.sleep(STARTUP)", "import time\n\nSTARTUP = 5 * 60", about_time=False)
    ),
    python_loop=several(
        _SHORT, in_test("for _ in range(60):\n    time.sleep(5)", "import time", about_time=False)
    ),
    sleep_in_solution=several(_limit("agent", 60), at_end(SOLUTION, "sleep 100")),
    solution_loop=several(_limit("agent", 60), at_end(SOLUTION, "for n in 1 2 3 4 5; do\n  sleep 20\ndone")),
    told_minutes=several(_limit("agent", 600), added(INSTRUCTION, "\nYou have 30 minutes to complete the task.")),
    told_limit=several(_limit("agent", 600), added(INSTRUCTION, "\nTime limit: 2 hours.")),
    told_at_most=several(
        _limit("agent", 600), added(INSTRUCTION, "\nFinish within 45 minutes; the agent is stopped after that.")
    ),
)

UNPINNED = defects(
    "missing versions",
    "unpinned",
    pip=added(DOCKERFILE, "RUN pip install pandas requests"),
    pip_at_least=added(DOCKERFILE, 'RUN pip install --no-cache-dir "pandas>=2"'),
    python_pip=added(DOCKERFILE, "RUN python3 -m pip install flask"),
    latest=replaced(r"^FROM .*$", "FROM python:latest", DOCKERFILE),
    no_tag=replaced(r"^FROM .*$", "FROM ubuntu", DOCKERFILE),
    apt=added(DOCKERFILE, "RUN apt-get update && apt-get install -y --no-install-recommends ffmpeg"),
    apk=added(DOCKERFILE, "RUN apk add --no-cache curl"),
    dnf=added(DOCKERFILE, "RUN dnf install -y gcc"),
    clone=added(DOCKERFILE, "RUN git clone https://example.org/tool.git /opt/tool"),
    shallow_clone=added(
        DOCKERFILE, "RUN git clone --depth 1 https://example.org/tool.git /opt/tool && make -C /opt/tool"
    ),
    pipe_to_shell=before_tests("curl -LsSf https://example.org/install.sh | sh"),
    wget=added(DOCKERFILE, "RUN wget -q https://example.org/model.bin -O /opt/model.bin"),
    npm=added(DOCKERFILE, "RUN npm install -g typescript"),
    yarn=added(DOCKERFILE, "RUN yarn global add prettier"),
    pnpm=added(DOCKERFILE, "RUN pnpm add -g eslint"),
    uvx=before_tests("uvx --with numpy ruff check /tests"),
    uv_add=before_tests("uv add scipy"),
    uv_run=before_tests("uv run --with scipy python -c 'import scipy'"),
    uv_pip=before_tests("uv pip install --system scipy"),
    uv_tool=added(DOCKERFILE, "RUN uv tool install ruff"),
    pipx=added(DOCKERFILE, "RUN pipx install poetry"),
    requirements=several(
        added("environment/requirements.txt", "pandas\nnumpy"),
        added(DOCKERFILE, "COPY requirements.txt /tmp/requirements.txt\nRUN pip install -r /tmp/requirements.txt"),
    ),
    go=added(DOCKERFILE, "RUN go install golang.org/x/tools/gopls@latest"),
    cargo=added(DOCKERFILE, "RUN cargo install ripgrep"),
    gem=added(DOCKERFILE, "RUN gem install bundler"),
    conda=added(DOCKERFILE, "RUN conda install -y -c conda-forge numpy"),
    pip_of_repository=added(DOCKERFILE, "RUN pip install git+https://example.org/tool.git"),
    add=added(DOCKERFILE, "ADD https://example.org/data.tar.gz /data/"),
)

IN_VERDICTS = [*REWARD_VALUES, *ALWAYS_ONE, *MISSING_REWARD, *TIME_LIMITS, *UNPINNED]
