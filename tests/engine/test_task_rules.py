"""What reading a task shows to be wrong with it: for each kind a task with the mistake, and one that looks alike.

The tasks here are our own. What they have in common with published ones is the kind of mistake.
"""

from dataclasses import dataclass, field, replace

import pytest

from assay.engine.tasks.rules.kinds import KINDS
from assay.engine.tasks.task_lint import lint
from assay.engine.tasks.task_reading import LintFinding, TaskFiles

R = "/logs/verifier/reward.txt"
WRITE = f"if [ $? -eq 0 ]; then\n  echo 1 > {R}\nelse\n  echo 0 > {R}\nfi\n"
SCRIPT = f"#!/bin/bash\npytest /tests/test_outputs.py\n{WRITE}"
TEST = "def test_total():\n    assert open('/app/out/total.txt').read().strip() == '42'\n"
GOOD = TaskFiles(
    tests={"test.sh": SCRIPT, "test_outputs.py": TEST},
    solution={"solve.sh": "#!/bin/bash\nawk '{s+=$1} END {print s}' /app/data/nums.txt > /app/out/total.txt\n"},
    environment={
        "Dockerfile": "FROM python:3.12\nRUN pip install pytest==8.4.1\n"
        "COPY nums.txt /app/data/nums.txt\nWORKDIR /app\n",
        "nums.txt": "40\n2\n",
    },
    writable=frozenset(),
    settings="[agent]\ntimeout_sec = 600\n",
    instruction="Add up the numbers in /app/data/nums.txt and write the sum to /app/out/total.txt.\n",
    places=("/app", "/workspace"),
    network=False,
    agent_limit=600.0,
    verifier_limit=600.0,
)


@dataclass(frozen=True)
class Case:
    """Changes of the good task, and the findings on the result as "kind place"."""

    found: tuple[str, ...] = ()
    tests: dict[str, str] = field(default_factory=dict)
    solution: dict[str, str] | None = None
    environment: dict[str, str] = field(default_factory=dict)
    dockerfile: str = ""
    other: dict[str, object] = field(default_factory=dict)

    def files(self) -> TaskFiles:
        docker = {"Dockerfile": GOOD.environment["Dockerfile"] + self.dockerfile}
        return replace(
            GOOD,
            tests={**GOOD.tests, **self.tests},
            solution=GOOD.solution if self.solution is None else self.solution,
            environment={**GOOD.environment, **docker, **self.environment},
            **self.other,  # type: ignore[arg-type]
        )


def script(text: str) -> dict[str, str]:
    return {"test.sh": f"#!/bin/bash\n{text}"}


def python(text: str) -> dict[str, str]:
    return {"test_outputs.py": text}


def asks(text: str) -> dict[str, object]:
    return {"instruction": text}


EXPECTED = (
    "def test_total():\n    expected = open('{0}').read()\n"
    "    assert open('/app/out/total.txt').read() == expected\n"
)
SAME = "def test_total():\n    a = int(open('/app/out/total.txt').read())\n"
GRADER = f"python3 /app/{{0}} > /tmp/said\nif grep -q PASS /tmp/said; then echo 1 > {R}; else echo 0 > {R}; fi\n"
GRADED = f"pytest /tests/test_outputs.py\n{WRITE}"
OTHERS = "# test_outputs runs elsewhere\n"
MODULE = "Write a module /app/calc.py with a function `add(a, b)`.\n"

CASES = {
    "a good task": Case(),
    # The verdict.
    "a reward of 1 whatever happens": Case(
        ("always-passes tests/test.sh:3",), script(f"pytest /tests || true\necho 1 > {R}\n")
    ),
    "a reward of 1 as JSON": Case(
        ("always-passes tests/test.sh:3",),
        script("pytest /tests\nprintf '{\"reward\": 1.0}\\n' > /logs/verifier/reward.json\n"),
    ),
    "1 first, then 0 for a failure": Case((), script(f"echo 1 > {R}\npytest /tests || echo 0 > {R}\n")),
    "1 or 0 on one line": Case((), script(f"pytest /tests && echo 1 > {R} || echo 0 > {R}\n")),
    "1 for a failure": Case(
        ("always-passes tests/test.sh:3",),
        script(f"pytest /tests\nif [ $? -ne 0 ]; then\n  echo 1 > {R}\nelse\n  echo 0 > {R}\nfi\n"),
    ),
    "a forgiven failure": Case(("failure-swallowed tests/test.sh:2",), script(f"pytest /tests || true\n{WRITE}")),
    "the status of a pipe": Case(
        ("failure-swallowed tests/test.sh:2",), script(f"pytest /tests | tee /tmp/log\n{WRITE}")
    ),
    "the status of a pipe that keeps it": Case(
        (), script(f"set -o pipefail\npytest /tests | tee /tmp/log\n{WRITE}")
    ),
    "the status of an echo": Case(
        ("failure-swallowed tests/test.sh:3",), script(f"pytest /tests\necho done\n{WRITE}")
    ),
    "a status that was kept": Case(
        (),
        script(f"pytest /tests\nrc=$?\necho done\nif [ $rc -eq 0 ]; then echo 1 > {R}; else echo 0 > {R}; fi\n"),
    ),
    "an assertion whose failure is caught": Case(
        ("failure-swallowed tests/test_outputs.py:3",),
        tests=python(
            f"def test_a():\n    try:\n        assert open('/app/out/total.txt')\n"
            f"    except Exception:\n        pass\n{TEST}"
        ),
    ),
    "a failure that becomes another": Case(
        (),
        tests=python(
            "import pytest\ndef test_a():\n    try:\n        assert open('/app/out/total.txt')\n"
            "    except OSError:\n        pytest.fail()\n"
        ),
    ),
    "tests at another path": Case(
        ("tests-not-found tests/test.sh:2",), script(f"pytest /app/test_outputs.py\n{WRITE}")
    ),
    "tests that are copied there": Case(
        (), script(f"cp /tests/test_outputs.py /app/\npytest /app/test_outputs.py --noconftest\n{WRITE}")
    ),
    "tests that nobody runs": Case(
        ("tests-not-run tests/test_outputs.py",),
        script(f"grep -q 42 /app/out/total.txt\n{WRITE}"),
    ),
    "a test that doesn't parse": Case(
        ("syntax tests/test_outputs.py",), python("def test_a(:\n  '/app/out/total.txt'\n")
    ),
    "a loop over nothing": Case(
        ("tests-nothing tests/test_outputs.py:2",),
        tests=python(
            "import os\ndef test_a():\n    for one in os.listdir('/app/out'):\n        assert one == 'total.txt'\n"
        ),
    ),
    "a loop over something": Case(
        (),
        tests=python(
            "def test_a():\n    for one in ('total',):\n        assert open(f'/app/out/{one}.txt').read()\n"
        ),
    ),
    "an assertion that is always true": Case(
        ("tests-nothing tests/test_outputs.py:1",),
        tests=python("def test_a():\n    assert True or '/app/out/total.txt'\n"),
    ),
    "a missing output that is skipped": Case(
        ("tests-nothing tests/test_outputs.py:2",),
        tests=python(
            "import os, pytest\ndef test_a():\n"
            "    if not os.path.exists('/app/out/total.txt'):\n        pytest.skip()\n"
            "    assert open('/app/out/total.txt').read() == '42'\n"
        ),
    ),
    "a random verdict": Case(
        ("random-verdict tests/test_outputs.py:4",),
        tests=python(f"import random\ndef test_a():\n    score = random.random()\n    assert score > 0.5\n{TEST}"),
    ),
    "a range for a random number of the code under test": Case(
        tests=python(f"import random\nfrom dice import roll\ndef test_a():\n    assert 1 <= roll() <= 6\n{TEST}"),
        other=asks("Write /app/dice.py with roll() and the sum of /app/data/nums.txt to /app/out/total.txt.\n"),
    ),
    "a random verdict of the shell": Case(
        ("random-verdict tests/test.sh:3",),
        script(f"pytest /tests/test_outputs.py\nif [ $((RANDOM % 2)) = 0 ]; then true; fi\n{WRITE}"),
    ),
    "functions in functions are no tests": Case(
        tests=python(
            "def test_total():\n    def test_one(text):\n        return text == '42'\n"
            "    assert test_one(open('/app/out/total.txt').read().strip())\n"
        ),
    ),
    "a file that is run as a script has no tests": Case(
        tests={
            **python(
                "import sys\ndef test_total(text):\n    return text == '42'\n"
                "sys.exit(not test_total(open('/app/out/total.txt').read().strip()))\n"
            ),
            **script(f"python3 /tests/test_outputs.py\n{WRITE}"),
        },
    ),
    "a reward in words": Case(
        ("reward-values tests/test_outputs.py:4",),
        tests={
            **python(
                "import json\nsaid = {'reward': 1.0}\nok = open('/app/out/total.txt').read() == '42'\n"
                "json.dump({'reward': float(ok), 'failed': []}, open('/logs/verifier/reward.json', 'w'))\n"
            ),
            **script("python3 /tests/test_outputs.py\n"),
        },
    ),
    "words beside a reward": Case(
        tests={
            **python(
                "import json\nok = open('/app/out/total.txt').read() == '42'\n"
                "json.dump({'reward': float(ok)}, open('/logs/verifier/reward.json', 'w'))\n"
                "json.dump({'reward': float(ok), 'failed': []}, open('/logs/verifier/details.json', 'w'))\n"
            ),
            **script("python3 /tests/test_outputs.py\n"),
        },
    ),
    "a reward in words of the shell": Case(
        ("reward-values tests/test.sh:4",),
        script(
            "pytest /tests/test_outputs.py\nif [ $? -eq 0 ]; then\n"
            '  echo \'{"reward": "1"}\' > /logs/verifier/reward.json\nelse\n'
            "  echo '{\"reward\": 0}' > /logs/verifier/reward.json\nfi\n"
        ),
    ),
    "a date that nobody asked for": Case(
        ("by-date tests/test_outputs.py:3",),
        tests=python(f"import datetime\ndef test_a():\n    assert datetime.datetime.now().hour < 23\n{TEST}"),
    ),
    "a date that was asked for": Case(
        tests=python(f"import datetime\ndef test_a():\n    assert datetime.date.today().year > 2000\n{TEST}"),
        other=asks("Write today's sum of /app/data/nums.txt to /app/out/total.txt.\n"),
    ),
    "a limit on measured time": Case(
        ("wall-clock tests/test_outputs.py:5",),
        tests=python(
            "import time\ndef test_a():\n    start = time.monotonic()\n"
            "    text = open('/app/out/total.txt').read()\n"
            "    assert time.monotonic() - start < 2\n"
        ),
    ),
    "a limit on time that was asked for": Case(
        (),
        tests=python(
            "import time\ndef test_a():\n    start = time.monotonic()\n"
            "    text = open('/app/out/total.txt').read()\n"
            "    assert time.monotonic() - start < 2\n"
        ),
        other=asks("Write the sum of /app/data/nums.txt to /app/out/total.txt within 2 seconds.\n"),
    ),
    # The answer.
    "an answer that is copied into the image": Case(
        ("answer-in-image tests/test_outputs.py:2",),
        tests=python(EXPECTED.format("/opt/ref/expected_sum.txt")),
        environment={"expected_sum.txt": "42"},
        dockerfile="COPY expected_sum.txt /opt/ref/expected_sum.txt\n",
    ),
    "an answer that a command writes": Case(
        ("answer-in-image tests/test_outputs.py:2",),
        tests=python(EXPECTED.format("/opt/golden.txt")),
        dockerfile="RUN echo 42 > /opt/golden.txt\n",
    ),
    "an answer that only the solution gives away": Case(
        ("answer-in-image tests/test_outputs.py:2",),
        tests=python(EXPECTED.format("/opt/data.bin").replace("expected", "other")),
        dockerfile="RUN echo 42 > /opt/data.bin\n",
        solution={"solve.sh": "cp /opt/data.bin /app/out/total.txt\n"},
    ),
    "a checksum that the agent can change": Case(
        ("answer-in-image tests/test.sh:2",),
        script(f"sha256sum -c /app/.cache/total.sha256\n{WRITE}{OTHERS}"),
        dockerfile="RUN sha256sum /app/x > /app/.cache/total.sha256\n",
    ),
    "an answer that nobody reads": Case(
        ("answer-in-image environment/Dockerfile:5",), dockerfile="RUN echo 42 > /app/.hidden-answer\n"
    ),
    "an answer in tests": Case((), tests={**python(EXPECTED.format("/tests/expected.txt")), "expected.txt": "42"}),
    "an input that tests read again": Case(
        (),
        tests=python(
            "def test_a():\n    expected = sum(int(x) for x in open('/app/data/nums.txt'))\n"
            "    assert int(open('/app/out/total.txt').read()) == expected\n"
        ),
    ),
    "an answer by the agent": Case(
        ("answer-by-agent tests/test_outputs.py:4", "output-not-asked-for tests/test_outputs.py:3"),
        tests=python(
            f"{SAME}    expected = int(open('/app/out/baseline.txt').read())\n    assert a == expected\n"
        ),
    ),
    "two outputs that must agree": Case(
        (),
        tests=python(f"{SAME}    b = int(open('/app/out/again.txt').read())\n    assert a == b\n"),
        other=asks("Write the sum of /app/data/nums.txt to /app/out/total.txt and to /app/out/again.txt.\n"),
    ),
    "bytecode without its source": Case(
        ("bytecode-in-image environment/__pycache__/make.cpython-312.pyc",),
        environment={"__pycache__/make.cpython-312.pyc": "…"},
    ),
    "bytecode beside its source": Case(
        (), environment={"__pycache__/make.cpython-312.pyc": "…", "make.py": "1\n"}
    ),
    "a solution in the image": Case(
        ("solution-in-image environment/Dockerfile:5",), dockerfile="COPY solution/ /opt/\n"
    ),
    "a solution that was copied by hand": Case(
        ("solution-in-image environment/old/run.sh",),
        environment={"old/run.sh": GOOD.solution["solve.sh"]},
        dockerfile="COPY old /old\n",
    ),
    "a solution that brings files of the project along": Case(
        (),
        solution={
            "solve.sh": "#!/bin/bash\ncp -r /solution/src /app/\n",
            "src/sum.py": "def add(numbers):\n    return sum(numbers)  # of all of them\n",
            "src/read.py": "def read(name):\n    return [int(line) for line in open(name)]\n",
        },
        environment={
            "src/sum.py": "def add(numbers):\n    return 0  # to be written by the agent\n",
            "src/read.py": "def read(name):\n    return [int(line) for line in open(name)]\n",
        },
        dockerfile="COPY src /app/src\n",
    ),
    "a fixture of the tests that the agent gets, too": Case(
        (),
        tests={"fixtures/project/read.py": "def read(name):\n    return [int(line) for line in open(name)]\n"},
        solution={
            "solve.sh": "#!/bin/bash\ncp -r /solution/app/src /app/\n",
            "app/src/sum.yaml": "sum: all of the numbers in the file, added up exactly\n",
            "app/src/read.py": "def read(name):\n    return [int(line) for line in open(name)]\n",
        },
        environment={
            "src/sum.yaml": "sum: to be written by the agent\n",
            "src/read.py": "def read(name):\n    return [int(line) for line in open(name)]\n",
        },
        dockerfile="COPY src /app/src\n",
    ),
    "a solution whose only file is in the image": Case(
        ("solution-in-image environment/src/sum.py",),
        solution={
            "solve.sh": "#!/bin/bash\ncp -r /solution/src /app/\n",
            "src/sum.py": "def add(numbers):\n    return sum(numbers)  # of all of them\n",
        },
        environment={"src/sum.py": "def add(numbers):\n    return sum(numbers)  # of all of them\n"},
        dockerfile="COPY src /app/src\n",
    ),
    "tests in the image": Case(("tests-in-image environment/Dockerfile:5",), dockerfile="COPY ../tests /opt/\n"),
    "a copy of the tests": Case(
        ("visible-tests environment/test_outputs.py",),
        environment={"test_outputs.py": TEST},
        dockerfile="COPY . /app/\n",
    ),
    "tests that stay outside of the image": Case((), environment={"test_outputs.py": TEST}),
    "a copy of an input in tests": Case((), tests={"original.csv": "x" * 50}, environment={"data.csv": "x" * 50}),
    "a solution that knows": Case(
        ("hard-coded-answer solution/solve.sh:1",),
        solution={"solve.sh": "echo heron > /app/out/total.txt\n"},
        tests=python(TEST.replace("42", "heron")),
    ),
    "a solution that writes what was asked for": Case(
        (),
        solution={"solve.sh": "echo done > /app/out/total.txt\n"},
        tests=python(TEST.replace("42", "done")),
        other=asks("Write `done` to /app/out/total.txt.\n"),
    ),
    # The grader.
    "a grader in the image": Case(
        ("grader-in-image tests/test.sh:2",),
        script(GRADER.format("grade.py") + OTHERS) | python("# /app/out/total.txt\n"),
        environment={"grade.py": "print('PASS')\n"},
        dockerfile="COPY grade.py /app/grade.py\n",
    ),
    "a program of the image that is no grader": Case(
        (),
        script(GRADER.format("convert.py") + OTHERS) | python("# /app/out/total.txt\n"),
        environment={"convert.py": "print('PASS')\n"},
        dockerfile="COPY convert.py /app/convert.py\n",
    ),
    "a mode that keeps nothing from root": Case(
        ("mode-no-guard environment/Dockerfile:6",),
        environment={"verify.py": "1\n"},
        dockerfile="COPY verify.py /opt/verify.py\nRUN chmod 400 /opt/verify.py\n",
    ),
    "a mode for a key": Case((), dockerfile="RUN chmod 600 /root/.ssh/id_rsa\n"),
    "a mode against an ordinary agent": Case(
        (),
        environment={"verify.py": "1\n"},
        dockerfile="COPY verify.py /opt/verify.py\nRUN chmod 400 /opt/verify.py\n",
        other={"agent_is_ordinary": True},
    ),
    # The output.
    "another path than the one asked for": Case(
        ("output-not-asked-for tests/test_outputs.py:2", "output-not-tested instruction.md:1"),
        tests=python(TEST.replace("total.txt", "result.txt")),
    ),
    "a path that is joined": Case(
        ("output-not-asked-for tests/test_outputs.py:3",),
        tests=python(
            "from pathlib import Path\nOUT = Path('/app/out')\nREPORT = OUT / 'report.json'\n"
            "def test_a():\n    assert REPORT.exists()\n    assert (OUT / 'total.txt').exists()\n"
        ),
    ),
    "addresses and messages that end like paths": Case(
        (),
        tests=python(
            f"{TEST}import sys, requests\nURL = sys.argv[1]\ndef test_b():\n"
            "    answer = requests.get(f'{URL}/buckets/one/a.txt')\n    print(f'wrote {URL}/truth.json')\n"
            "    assert requests.get(URL + '/buckets/b.txt').ok and answer.ok\n"
        ),
    ),
    "a name that means something else in each test": Case(
        (),
        tests=python(
            f"{TEST}from pathlib import Path\ndef test_b():\n    root = Path('/app/out')\n"
            "    assert (root / 'total.txt').exists()\ndef test_c():\n    root = Path('/app/data')\n"
            "    assert (root / 'nums.txt').exists()\n"
        ),
    ),
    "a file that must not be there": Case(
        (), tests=python(f"{TEST}def test_b(run):\n    assert run('/app/nonexistent.json') == 2\n")
    ),
    "paths that a program is given, by a function that runs it": Case(
        (),
        tests=python(
            f"{TEST}import subprocess\ndef _run(*words):\n    return subprocess.run(['/app/fs', *words])\n"
            "def test_b():\n    _run('create', '/drop/mine.dat')\n    assert _run('stat', '/drop/mine.dat')\n"
        ),
    ),
    "a wait for a server": Case(
        (),
        tests={
            "conftest.py": "import time, pytest\n@pytest.fixture(autouse=True)\ndef ready(ask):\n"
            "    end = time.monotonic() + 90\n    while not ask():\n        if time.monotonic() >= end:\n"
            "            pytest.fail('it is not ready')\n        time.sleep(1)\n"
        },
    ),
    "a script that could be given arguments": Case(
        (), tests=script(f'while [[ $# -gt 0 ]]; do\n  case "$1" in\n    *) exit 1;;\n  esac\ndone\n{GRADED}')
    ),
    "a folder that the script is in": Case(
        (), tests=script(f'python3 -m pytest "$(dirname "$0")/test_outputs.py" -rA\n{WRITE}')
    ),
    "a script that looks where it is": Case(
        (), tests=script(f'if [ "${{PWD:-}}" = "/" ]; then\n  echo "no folder"\n  exit 1\nfi\n{GRADED}')
    ),
    "a path that no test uses": Case(
        (),
        tests=python(
            f"{TEST}from pathlib import Path\nAPP = Path('/app')\nCHECKPOINT = APP / 'out' / 'restart.txt'\n"
        ),
    ),
    "a status that is kept in the same line": Case(
        (),
        tests=script(
            "A=0\nB=0\npytest /tests/test_outputs.py || A=$?\npytest /tests/test_outputs.py -k total || B=$?\n"
            f"if [ $A -eq 0 ] && [ $B -eq 0 ]; then echo 1 > {R}; else echo 0 > {R}; fi\n"
        ),
    ),
    "a verifier that only installs rewardkit": Case(
        ("no-reward tests",),
        tests=script("pip install harbor-rewardkit==0.2.3\npytest /tests/test_outputs.py\n"),
    ),
    "a verifier of rewardkit": Case(
        (), tests={"test.sh": "#!/bin/bash\nuvx --from harbor-rewardkit==0.2.3 rewardkit /tests\n"}
    ),
    "files of a tool in its own folder": Case(
        (), tests=python(f"{TEST}def test_b():\n    assert open('/root/.gnupg/pubring.kbx').read()\n")
    ),
    "files that the image makes with numbers in their names": Case(
        (),
        tests=python(f"{TEST}def test_b():\n    assert open('/opt/cases/case_03.out').read()\n"),
        environment={"make.py": "for i in range(9):\n    open(f'/opt/cases/case_{i:02d}.out', 'w')\n"},
        dockerfile="COPY make.py /tmp/make.py\nRUN python3 /tmp/make.py\n",
    ),
    "a folder of the image that isn't here": Case(
        (),
        tests=python(f"{TEST}def test_b():\n    assert open('/app/tools/list.txt').read()\n"),
        dockerfile="COPY tools/ /app/tools/\n",
    ),
    "a program that test.sh builds": Case(
        (), tests=script(f"kotlinc /app/a.kt -d /app/sim.jar\njava -jar /app/sim.jar\n{GRADED}")
    ),
    "a file that the tests write themselves": Case(
        (),
        tests=python(
            f"{TEST}def test_b():\n    open('/app/probe.txt', 'w').write('x')\n    assert open('/app/probe.txt')\n"
        ),
    ),
    "one of several places where an output may be": Case(
        (),
        tests=python(
            f"{TEST}import os\ndef test_b():\n    places = ['/app/out/second.txt', '/app/second.txt']\n"
            "    assert any(os.path.exists(one) for one in places)\n"
        ),
    ),
    "places that are tried in turn": Case(
        (),
        tests=python(
            f"{TEST}from pathlib import Path\ndef test_b():\n    found = None\n"
            "    for one in [Path('/app/out/second.txt'), Path('/app/second.txt')]:\n        if one.exists():\n"
            "            found = one\n    assert found\n"
        ),
    ),
    "several outputs that all must be there": Case(
        ("output-not-asked-for tests/test_outputs.py:5", "output-not-asked-for tests/test_outputs.py:5"),
        tests=python(
            f"{TEST}from pathlib import Path\ndef test_b():\n"
            "    for one in [Path('/app/out/second.txt'), Path('/app/third.txt')]:\n        assert one.exists()\n"
        ),
    ),
    "a file that is read if it exists": Case(
        (),
        tests=python(
            f"{TEST}from pathlib import Path\ndef test_b():\n    log = Path('/app/run.txt')\n"
            "    text = log.read_text() if log.exists() else ''\n    assert 'Traceback' not in text\n"
        ),
    ),
    "a file without which a test fails": Case(
        ("output-not-asked-for tests/test_outputs.py:5",),
        tests=python(
            f"{TEST}from pathlib import Path\ndef test_b():\n    log = Path('/app/run.txt')\n"
            "    if log.exists():\n        assert log.read_text()\n    else:\n        raise AssertionError\n"
        ),
    ),
    "a file that a command is given": Case(
        (),
        tests=python(
            f"{TEST}import subprocess\ndef test_b():\n    again = '/app/again.txt'\n"
            "    subprocess.run(['/app/solve', '--out', again], check=True)\n    assert open(again).read()\n"
        ),
    ),
    "what a build makes": Case(
        (), tests=python(f"{TEST}def test_b():\n    assert 'CUDA' in open('/app/build/CMakeCache.txt').read()\n")
    ),
    "an output that is found by its pattern": Case(
        (),
        tests=python("import glob\ndef test_a():\n    assert glob.glob('/app/out/*.txt')[0]\n"),
    ),
    "a function that isn't asked for": Case(
        ("name-not-asked-for tests/test_outputs.py:3",),
        tests=python("import calc\ndef test_a():\n    assert calc.factorial(3) == 6 and calc.add(1, 2) == 3\n"),
        other=asks(MODULE),
        solution={"solve.sh": "make\n"},
    ),
    "a program that is only read": Case(
        ("program-not-run tests/test_outputs.py:2",),
        tests=python("def test_a():\n    assert 'def add' in open('/app/calc.py').read()\n"),
        other=asks(MODULE),
    ),
    "a program that is run": Case(
        (),
        tests=python(
            "import subprocess\ndef test_a():\n"
            "    assert not subprocess.run(['python3', '/app/calc.py']).returncode\n"
        ),
        other=asks(MODULE),
    ),
    "how the agent worked": Case(
        ("agents-history tests/test_outputs.py:3",),
        tests=python(f"{TEST}HISTORY = '/root/.bash_history'\n"),
    ),
    # The settings.
    "pytest from nowhere": Case(
        ("tool-missing tests/test.sh:2",),
        environment={"Dockerfile": "FROM ubuntu:24.04\nCOPY nums.txt /app/data/nums.txt\n"},
    ),
    "pytest from an image of one's own": Case((), environment={"Dockerfile": "FROM registry.example/tests:3\n"}),
    "a download without a network": Case(
        ("no-network tests/test.sh:2",),
        script(f"pip install pytest==8.4.1\npytest /tests\n{WRITE}"),
        other={"says_no_network": True},
    ),
    "a download that may fail": Case(
        (), script(f"pip install pytest==8.4.1 || true\npytest /tests\n{WRITE}"), other={"says_no_network": True}
    ),
    "an expert who takes longer": Case(
        ("estimates task.toml:2",),
        other={"settings": "[metadata]\nexpert_time_estimate_min = 90\njunior_time_estimate_min = 30\n[agent]\n"},
    ),
    "an agent without a limit": Case(
        ("no-time-limit task.toml",), other={"settings": "[verifier]\ntimeout_sec = 60\n"}
    ),
    "no solution": Case(("no-solution solution",), solution={}),
    "no solutions anywhere": Case((), solution={}, other={"solutions_withheld": True}),
    "an output in another folder": Case(
        ("output-not-asked-for tests/test_outputs.py:2",), python(TEST.replace("/app/out/total", "/srv/total"))
    ),
    "an output with another ending": Case(
        ("output-not-asked-for tests/test_outputs.py:2",), python(TEST.replace("total.txt", "total.csv"))
    ),
    "an output that tests move first": Case(
        (), python(TEST + "    os.system('mv /app/out/total.txt /app/out/old_total.txt')\n")
    ),
    "a solution that does nothing": Case(
        ("no-solution solution/solve.sh",), solution={"solve.sh": "#!/bin/bash\necho 'to be written'\nexit 1\n"}
    ),
    "a solution that only echoes into the output": Case(
        (), solution={"solve.sh": "#!/bin/bash\necho 42 > /app/out/total.txt\n"}
    ),
    "a solution without its other file": Case(
        ("no-solution solution/solve.sh:2",),
        solution={"solve.sh": "#!/bin/bash\npython3 /solution/add.py > /app/out/total.txt\n"},
    ),
    "a solution that writes elsewhere": Case(
        ("no-solution solution/solve.sh",),
        solution={"solve.sh": "#!/bin/bash\nawk 1 /app/data/nums.txt > /srv/total.txt\n"},
    ),
    "a reward of 1 at the very end": Case(
        ("always-passes tests/test.sh:8",), script(f"pytest /tests/test_outputs.py\n{WRITE}echo 1 > {R}\n")
    ),
    "a reward of 1 by a variable": Case(
        ("always-passes tests/test.sh:4",), script(f"SCORE=1\npytest /tests/test_outputs.py\necho $SCORE > {R}\n")
    ),
    "a reward by a variable that changes": Case(
        (), script(f"SCORE=0\npytest /tests/test_outputs.py && SCORE=1\necho $SCORE > {R}\n")
    ),
    "a loop that may end early": Case(
        (), script(f"for i in $(seq 900); do ready && break; sleep 5; done\npytest /tests\n{WRITE}")
    ),
    "a long sleep in Python": Case(
        ("time-limit tests/test_outputs.py:4",), python(f"import time\n{TEST}    time.sleep(900)\n")
    ),
    "a suppressed assertion": Case(
        ("failure-swallowed tests/test_outputs.py:4",),
        python(
            TEST + "    with contextlib.suppress(AssertionError):\n        assert open('/app/out/total.txt')\n"
        ),
    ),
    "a comparison without assert": Case(
        ("tests-nothing tests/test_outputs.py:3",),
        python(TEST + "    open('/app/out/total.txt').read() == '42'\n"),
    ),
    "a comparison that must raise": Case(
        (), python(TEST + "    with pytest.raises(TypeError):\n        1 < 'a'\n")
    ),
    "a seeded draw": Case((), python(TEST + "    random.seed(4)\n    assert random.random() < 0.9\n")),
    "a long sleep": Case(("time-limit tests/test.sh:2",), script(f"sleep 20m\npytest /tests\n{WRITE}")),
    "a time that is promised": Case(
        ("time-limit instruction.md:2",),
        other=asks(f"{GOOD.instruction}You have 30 minutes to complete this task.\n"),
    ),
    "an instruction that isn't written": Case(
        ("instruction instruction.md:2",), other=asks(f"{GOOD.instruction}TODO: say how\n")
    ),
    "an empty instruction": Case(
        ("instruction instruction.md",),
        tests=python("import os\ndef test_a():\n    assert os.environ['HOME']\n"),
        other=asks(" \n"),
    ),
}


def problems(files: TaskFiles) -> list[LintFinding]:
    return [finding for finding in lint(files) if not finding.is_note]


@pytest.mark.parametrize("name", CASES)
def test_what_is_found(name: str) -> None:
    found = problems(CASES[name].files())
    assert sorted(f"{one.rule} {one.place}" for one in found) == sorted(CASES[name].found), found


ELSEWHERE = {"line-ends", "no-reward", "reward-not-always", "set-e", "solution-in-tests", "writable-verifier"} | {
    "missing-file",
    "mistyped-field",
}


def test_every_problem_that_reading_finds_has_a_case() -> None:
    """The others are in test_task_lint.py and tests/cli/test_tasks.py."""
    known = {kind.name for kind in KINDS.values() if kind.found_by == "reading" and not kind.is_note}
    assert {found.split()[0] for case in CASES.values() for found in case.found} | ELSEWHERE == known


def test_a_step_before_the_last_may_give_a_reward_to_everybody() -> None:
    always = CASES["a reward of 1 whatever happens"].files()
    assert problems(replace(always, is_one_of_several=True, is_last=False)) == []


NOTED = {
    "agents-settings": script(f"cp /tests/test_outputs.py /app/\npytest /app/test_outputs.py\n{WRITE}"),
    "needs-network": script(f"pip install pytest==8\npytest /tests\n{WRITE}"),
    "randomness": python(f"import random\n{TEST}    assert random.choice([1, 2])\n"),
}


@pytest.mark.parametrize("kind", NOTED)
def test_what_is_noted(kind: str) -> None:
    found = lint(Case(tests=NOTED[kind]).files())
    assert kind in {one.rule for one in found if one.is_note}
    assert [one for one in found if not one.is_note] == []


def test_a_place_is_a_file_and_a_line() -> None:
    finding = LintFinding("set-e", "tests/a:b.sh:3", "why")
    assert (finding.file, finding.line) == ("tests/a:b.sh", 3)
    assert (LintFinding("no-reward", "tests", "why").file, LintFinding("no-reward", "tests", "why").line) == (
        "tests",
        None,
    )
