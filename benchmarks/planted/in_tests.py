"""Defects of the tests, of the solution, and of what the agent is told and given."""

import ast
import re
from collections.abc import Callable

from benchmarks.planted.edits import (
    DOCKERFILE,
    INSTRUCTION,
    SCRIPT,
    SOLUTION,
    Edit,
    Files,
    NotHereError,
    added,
    defects,
    every_assertion,
    every_test,
    in_test,
    renamed,
    replaced,
    several,
    shared_path,
    solution,
    test_files,
    text_of,
    verdict,
)

TestChange = Callable[[ast.FunctionDef], None]
_MISNAMED = "output-not-tested output-not-asked-for tests-not-found name-not-asked-for"
_STEM = re.compile(r"(?P<stem>[^/]+)(?P<ending>\.\w+)$")


def _and_told(files: Files) -> None:
    folder = shared_path(files).rpartition("/")[0]
    files[INSTRUCTION] += f"\nAlso write a summary of your work to `{folder}/run_notes.md`.\n"


def _and_told_first(files: Files) -> None:
    folder = shared_path(files).rpartition("/")[0]
    files[INSTRUCTION] = f"Save a log of every step in {folder}/steps.csv.\n\n" + files[INSTRUCTION]


DIFFERENT_FILES = defects(
    "different files",
    _MISNAMED,
    test_reads_other_name=renamed(lambda path: _STEM.sub(r"final_\g<stem>\g<ending>", path), "tests/"),
    instruction_has_other_name=renamed(lambda path: _STEM.sub(r"\g<stem>_v2\g<ending>", path), INSTRUCTION),
    test_reads_other_ending=renamed(lambda path: _STEM.sub(r"\g<stem>.dat", path), "tests/"),
    instruction_has_other_ending=renamed(lambda path: _STEM.sub(r"\g<stem>.md", path), INSTRUCTION),
    test_reads_other_folder=renamed(lambda path: "/output/" + path.rpartition("/")[2], "tests/"),
    instruction_has_other_folder=renamed(lambda path: "/srv/results/" + path.rpartition("/")[2], INSTRUCTION),
    test_mistyped=renamed(
        lambda path: _STEM.sub(lambda found: f"{found['stem'][:-1]}{found['ending']}", path), "tests/"
    ),
    instruction_mistyped=renamed(
        lambda path: _STEM.sub(lambda found: f"{found['stem']}s{found['ending']}", path), INSTRUCTION
    ),
    test_has_capital=renamed(
        lambda path: _STEM.sub(lambda found: found["stem"].title() + found["ending"], path), "tests/"
    ),
    test_has_plural_folder=renamed(lambda path: re.sub(r"/([\w.-]+)$", r"/results/\1", path), "tests/"),
    test_reads_one_more=in_test(
        "assert open(os.path.join(os.path.dirname(PATH), 'metadata.json')).read()", "import os", about_time=False
    ),
    test_wants_one_more=in_test(
        "assert Path(PATH).with_name('audit.log').exists()", "from pathlib import Path", about_time=False
    ),
    instruction_wants_one_more=_and_told,
    instruction_wants_one_first=_and_told_first,
    test_wants_other_key=in_test(
        "assert 'checksum_sha1' in json.loads(open(PATH).read())", "import json", about_time=False
    ),
    test_reads_other_key=in_test(
        "assert json.load(open(PATH))['total_rejected'] >= 0", "import json", about_time=False
    ),
)


def _marked(code: str) -> TestChange:
    def change(test: ast.FunctionDef) -> None:
        test.decorator_list.append(ast.parse(code, mode="eval").body)

    return change


TIME = defects(
    "time",
    "wall-clock",
    elapsed=in_test(
        "start = time.time()\nsubprocess.run(['ls', PATH])\nassert time.time() - start < 2",
        "import subprocess\nimport time",
    ),
    counter=in_test(
        "began = time.perf_counter()\nopen(PATH).read()\n"
        "elapsed = time.perf_counter() - began\nassert elapsed < 0.5, 'too slow'",
        "import time",
    ),
    counted_in_words=in_test(
        "t0 = time.monotonic()\nopen(PATH).read()\n"
        "took = round(time.monotonic() - t0, 2)\nif took > 1:\n    raise AssertionError(f'took {took} s')",
        "import time",
    ),
    time_out=in_test("subprocess.run(['cat', PATH], timeout=1, check=True)", "import subprocess"),
    age_of_file=in_test("assert time.time() - os.path.getmtime(PATH) < 300", "import os\nimport time"),
    age_of_status=in_test(
        "age = time.time() - os.stat(PATH).st_mtime\nassert age < 600", "import os\nimport time"
    ),
    mark=every_test(_marked("pytest.mark.timeout(2)"), "import pytest"),
    alarm=in_test("signal.alarm(2)\nopen(PATH).read()\nsignal.alarm(0)", "import signal"),
    dates=in_test(
        "start = datetime.datetime.now()\nopen(PATH).read()\n"
        "assert (datetime.datetime.now() - start).total_seconds() < 1",
        "import datetime",
    ),
    repeated=in_test("assert timeit.timeit(lambda: open(PATH).read(), number=100) < 0.1", "import timeit"),
    compared=in_test(
        "start = time.time()\nopen(PATH).read()\nfirst = time.time() - start\n"
        "start = time.time()\nopen(PATH).read()\nassert time.time() - start <= first * 1.5",
        "import time",
    ),
    in_shell=verdict(
        "STATUS=$?\n"
        "if [ $STATUS -eq 0 ] && [ $SECONDS -lt 20 ]; then echo 1 > {reward}; else echo 0 > {reward}; fi"
    ),
    nanoseconds=in_test(
        "start = time.time_ns()\nopen(PATH).read()\nassert (time.time_ns() - start) / 1e6 < 50", "import time"
    ),
    short_wait=in_test(
        "p = subprocess.Popen(['sh', '-c', 'true'])\ntime.sleep(0.1)\nassert p.poll() is not None",
        "import subprocess\nimport time",
    ),
)

DATES = defects(
    "date",
    "by-date wall-clock",
    today=in_test("assert str(datetime.date.today()) in open(PATH).read()", "import datetime"),
    this_year=in_test("assert datetime.datetime.now().year == 2025", "import datetime"),
    before_a_day=in_test("assert datetime.datetime.now() < datetime.datetime(2031, 1, 1)", "import datetime"),
    formatted=in_test(
        "expected = datetime.datetime.now().strftime('%Y-%m-%d')\nassert expected in open(PATH).read()",
        "import datetime",
    ),
    year_as_text=in_test("assert time.strftime('%Y') in open(PATH).read()", "import time"),
    universal=in_test(
        "now = datetime.datetime.now(datetime.timezone.utc)\nassert now.strftime('%B') in open(PATH).read()",
        "import datetime",
    ),
    weekday=in_test(
        "if datetime.date.today().weekday() >= 5:\n    raise AssertionError('not on weekends')", "import datetime"
    ),
    in_shell=verdict(
        'if [ $? -eq 0 ] && [ "$(date +%Y)" -lt 2031 ]; then echo 1 > {reward}; else echo 0 > {reward}; fi'
    ),
    from_import=in_test("assert date.today().isoformat() in open(PATH).read()", "from datetime import date"),
    local_time=in_test("assert open(PATH).read().startswith(str(time.localtime().tm_year))", "import time"),
    in_shell_grep=verdict('grep -q "$(date +%F)" /app/output.txt && echo 1 > {reward} || echo 0 > {reward}'),
    yesterday=in_test(
        "day = (datetime.date.today() -"
        " datetime.timedelta(days=1)).isoformat()\nassert day not in open(PATH).read()",
        "import datetime",
    ),
)

CHANCE = defects(
    "chance",
    "random-verdict randomness",
    bare=in_test("assert random.random() < 0.9", "import random"),
    sample=in_test(
        "lines = open(PATH).read().splitlines()\nfor line in random.sample(lines, 1):\n    assert line",
        "import random",
    ),
    choice=in_test("assert choice(open(PATH).read().split())", "from random import choice"),
    shuffled=in_test(
        "words = open(PATH).read().split()\nrandom.shuffle(words)\nassert len(words[0]) > 1", "import random"
    ),
    in_shell=verdict("if [ $((RANDOM % 10)) -gt 0 ]; then echo 1 > {reward}; else echo 0 > {reward}; fi"),
    in_shell_named=verdict(
        "N=$RANDOM\nif [ $? -eq 0 ] && [ $N -gt 3000 ]; then echo 1 > {reward}; else echo 0 > {reward}; fi"
    ),
    shuffled_in_shell=verdict(
        'grep -q "$(shuf -n 1 /tests/cases.txt)" /app/output.txt && echo 1 > {reward} || echo 0 > {reward}'
    ),
    array=in_test("noise = np.random.rand(10)\nassert noise.mean() > 0.1", "import numpy as np"),
    array_normal=in_test("x = np.random.normal(size=100)\nassert abs(x.mean()) < 0.2", "import numpy as np"),
    seeded_by_time=in_test(
        "random.seed(time.time())\nassert random.randint(0, 9) != 0", "import random\nimport time"
    ),
    secret=in_test("assert secrets.randbelow(10) > 0", "import secrets"),
    operating_system=in_test("assert os.urandom(1)[0] < 250", "import os"),
    generator=in_test("rng = np.random.default_rng()\nassert rng.integers(10) > 0", "import numpy as np"),
    random_object=in_test(
        "draw = random.Random()\nassert draw.choice(open(PATH).read().split())", "import random"
    ),
    unique=in_test("assert uuid.uuid4().hex[0] != '0'", "import uuid"),
)


def _statements(code: str) -> list[ast.stmt]:
    return ast.parse(code).body


def _emptied(test: ast.FunctionDef) -> None:
    test.body = [*test.body[: bool(ast.get_docstring(test))], ast.Pass()]


def _forgiven(handler: str) -> TestChange:
    def change(test: ast.FunctionDef) -> None:
        [tried] = _statements(f"try:\n    pass\n{handler}")
        assert isinstance(tried, ast.Try)
        tried.body, test.body = test.body, [tried]

    return change


def _within(code: str) -> TestChange:
    """A change that puts the body of a test into another statement."""

    def change(test: ast.FunctionDef) -> None:
        [outer] = _statements(code)
        outer.body, test.body = test.body, [outer]  # type: ignore[attr-defined]

    return change


def _first(code: str) -> TestChange:
    def change(test: ast.FunctionDef) -> None:
        test.body = [*_statements(f"def f():\n    {code}")[0].body, *test.body]  # type: ignore[attr-defined]

    return change


def _uncollected(test: ast.FunctionDef) -> None:
    test.name = test.name.replace("test_", "check_", 1)


def _guarded(files: Files) -> None:
    every_test(_within(f"if os.path.exists({shared_path(files)!r}):\n    pass"), "import os")(files)


def _true(node: ast.Assert, code: str) -> ast.stmt:
    [statement] = _statements(code)
    for name in ast.walk(statement):
        for field, value in ast.iter_fields(name):
            if isinstance(value, ast.Name) and value.id == "TEST":
                setattr(name, field, node.test)
            elif isinstance(value, list):
                value[:] = [node.test if isinstance(one, ast.Name) and one.id == "TEST" else one for one in value]
    return statement


TESTS_NOTHING = defects(
    "tests nothing",
    "tests-nothing failure-swallowed tests-not-run always-passes tests-not-found",
    emptied=every_test(_emptied),
    only_docstrings=every_test(lambda test: setattr(test, "body", _statements("'''To be written.'''"))),
    assert_true=every_test(lambda test: setattr(test, "body", _statements("result = True\nassert result"))),
    asserts_constant=every_assertion(lambda node: _true(node, "assert True")),
    caught=every_test(_forgiven("except Exception:\n    pass")),
    caught_and_printed=every_test(_forgiven("except AssertionError as error:\n    print('failed:', error)")),
    caught_bare=every_test(_forgiven("except:\n    print('skipped')\n    return")),
    suppressed=every_test(_within("with contextlib.suppress(AssertionError):\n    pass"), "import contextlib"),
    suppressed_all=every_test(_within("with suppress(Exception):\n    pass"), "from contextlib import suppress"),
    pair=every_assertion(lambda node: _true(node, "assert (TEST, 'it must hold')")),
    or_true=every_assertion(lambda node: _true(node, "assert TEST or True")),
    without_assert=every_assertion(lambda node: ast.Expr(node.test)),
    returned=every_assertion(lambda node: ast.Return(node.test)),
    skipped=every_test(_marked("pytest.mark.skip(reason='flaky')"), "import pytest"),
    skipped_inside=every_test(_first("pytest.skip('needs a rewrite')"), "import pytest"),
    skipped_file=several(
        every_test(lambda _: None),
        replaced(r"\A", "import pytest\n\npytestmark = pytest.mark.skip('later')\n", "tests/test_"),
    ),
    expected_to_fail=every_test(_marked("pytest.mark.xfail"), "import pytest"),
    expected_to_fail_loosely=every_test(_marked("pytest.mark.xfail(strict=False)"), "import pytest"),
    not_collected=every_test(_uncollected),
    only_if_there=_guarded,
    returns_early=every_test(_first("return")),
    only_nested=every_test(_within("def check():\n    pass")),
    length_not_negative=every_assertion(lambda node: _true(node, "assert len(str(TEST)) >= 0")),
    is_boolean=every_assertion(lambda node: _true(node, "assert (TEST) in (True, False)")),
    never_true=every_test(_within("if False:\n    pass")),
    empty_loop=every_test(_within("for _ in []:\n    pass")),
    file_not_run=replaced(r"/tests/test_\w+\.py", "/tests/test_nothing_else.py", SCRIPT),
    only_collected=replaced(r"\bpytest ", "pytest --collect-only ", SCRIPT),
    deselected=replaced(r"\bpytest ", "pytest -k nothing_of_the_sort ", SCRIPT),
)


def _copied_tests(target: str, dockerfile: str, head: str = "") -> Edit:
    def edit(files: Files) -> None:
        for name in test_files(files):
            files[f"environment/{target.format(name.rpartition('/')[2])}"] = head + files[name]
        text_of(files, DOCKERFILE)
        added(DOCKERFILE, dockerfile)(files)

    return edit


def _copied_solution(target: str, dockerfile: str, head: str = "") -> Edit:
    def edit(files: Files) -> None:
        if len(text_of(files, SOLUTION)) < 200:
            raise NotHereError("a solution of some length")
        files[f"environment/{target}"] = head + files[SOLUTION]
        text_of(files, DOCKERFILE)
        added(DOCKERFILE, dockerfile)(files)

    return edit


def _given_answer(name: str, text: str, code: str, dockerfile: str) -> Edit:
    def edit(files: Files) -> None:
        text_of(files, DOCKERFILE)
        if name:
            files[f"environment/{name}"] = text
        added(DOCKERFILE, dockerfile)(files)
        in_test(code, "import json", about_time=False)(files)

    return edit


READABLE_TESTS = defects(
    "readable tests",
    "tests-in-image visible-tests solution-in-image writable-verifier"
    " answer-in-image grader-in-image mode-no-guard "
    "agents-settings",
    tests_in_folder=_copied_tests("tests/{}", "COPY tests /app/tests"),
    tests_beside=_copied_tests("{}", "COPY . /app/"),
    tests_renamed=_copied_tests("checks_{}", "COPY . /opt/checks/"),
    tests_changed=_copied_tests("tests/{}", "COPY tests/ /tests/", "# Copied from the verifier.\n\n"),
    tests_hidden=_copied_tests(".hidden/{}", "COPY .hidden /root/.hidden\nRUN chmod 700 /root/.hidden"),
    solution_by_name=_copied_solution("solve.sh", "COPY solve.sh /app/solve.sh"),
    solution_in_folder=_copied_solution("solution/solve.sh", "COPY solution /solution"),
    solution_renamed=_copied_solution("reference.sh", "COPY reference.sh /opt/reference.sh"),
    solution_changed=_copied_solution("example.sh", "COPY . /app", "# An example of how this can be done.\n"),
    solution_as_backup=_copied_solution("data/backup.sh", "ADD data /data"),
    answer_as_file=_given_answer(
        "expected.json",
        '{"total": 17}\n',
        "assert json.load(open(PATH)) == json.load(open('/app/expected.json'))",
        "COPY expected.json /app/expected.json",
    ),
    answer_in_folder=_given_answer(
        "data/truth.txt",
        "seventeen\n",
        "assert open(PATH).read() == open('/data/truth.txt').read()",
        "COPY data/ /data/",
    ),
    answer_echoed=_given_answer(
        "",
        "",
        "assert open(PATH).read().strip() == open('/app/.secret_answer').read().strip()",
        "RUN echo 7291-KX > /app/.secret_answer",
    ),
    answer_printed=_given_answer(
        "",
        "",
        "expected = open('/var/lib/answer.txt').read()\nassert expected in open(PATH).read()",
        "RUN printf '%s' 'blue heron' > /var/lib/answer.txt && chmod 600 /var/lib/answer.txt",
    ),
)


def _renamed_solution(files: Files) -> None:
    files["solution/run.sh"] = text_of(files, SOLUTION)
    del files[SOLUTION]


SOLUTIONS = defects(
    "solution",
    "no-solution hard-coded-answer solution-broken missing-file output-not-asked-for output-not-tested",
    none=solution(None),
    empty=solution(""),
    only_first_line=solution("#!/bin/bash\n"),
    only_comment=solution("#!/bin/bash\n# Write the solution here.\n"),
    to_do=solution("#!/bin/bash\n# TODO: write the reference solution\nexit 1\n"),
    only_words=solution("#!/bin/bash\nset -e\necho 'Solution complete'\n"),
    does_nothing=solution("#!/bin/sh\ntrue\n"),
    runs_missing_script=solution("#!/bin/bash\npython3 /solution/solve_task.py\n"),
    runs_missing_neighbour=solution('#!/bin/bash\ncd "$(dirname "$0")"\nbash ./steps/build.sh\n'),
    copies_missing_file=solution("#!/bin/bash\nset -e\ncp /solution/answer_key.json /app/answer_key.json\n"),
    not_implemented=solution("#!/bin/bash\necho 'not implemented' >&2\nexit 1\n"),
    unclosed_quote=solution("#!/bin/bash\nmkdir -p /app\necho 'the answer > /app/out.txt\n"),
    unclosed_if=solution("#!/bin/bash\nif [ -d /app ]; then\n  echo yes > /app/out.txt\n"),
    broken_python=solution(
        "#!/bin/bash\npython3 - <<'PY'\ndef main(:\n    open('/app/out.txt', 'w').write('x')\nmain()\nPY\n"
    ),
    only_folder=solution("#!/bin/bash\nmkdir -p /app/output\n"),
    other_name=renamed(lambda path: _STEM.sub(r"my_\g<stem>\g<ending>", path), "solution/"),
    other_folder=renamed(lambda path: "/home/me/" + path.rpartition("/")[2], "solution/"),
    script_of_other_name=_renamed_solution,
)

IN_TESTS = [*DIFFERENT_FILES, *TIME, *DATES, *CHANCE, *TESTS_NOTHING, *READABLE_TESTS, *SOLUTIONS]
