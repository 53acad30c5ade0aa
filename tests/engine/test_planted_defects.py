"""Defects that are planted into a clean task: most are found, and nothing is found where none was planted.

The figures on public tasks are in docs/howto/check-your-tasks.md; these tests keep the same defects on one task of
our own. ``python -m benchmarks.planted`` plants them in any folder of tasks.
"""

from pathlib import Path

import pytest

from benchmarks.planted.edits import REWARD
from benchmarks.planted.recall import DEFECTS, HALVES, PlantedResult, by_half, clean_tasks, half, interval, planted

EXAMPLES = Path(__file__).parents[2] / "examples" / "tasks"
_TESTS = """\
import json
from pathlib import Path


def test_total():
    found = json.loads(Path("/workspace/total.json").read_text())
    assert found["total"] == 42
    assert found["currency"] == "EUR"
"""
_SOLUTION = """#!/bin/bash
total=$(awk '{ sum += $1 } END { print sum }' /workspace/prices.txt)
currency=$(awk 'NR == 1 { print $2 }' /workspace/prices.txt)
cat > /workspace/total.json <<EOF
{"total": $total, "currency": "$currency"}
EOF
chmod 644 /workspace/total.json
echo "the total is $total"
"""
CLEAN = {
    "task.toml": 'schema_version = "1.3"\n\n[agent]\ntimeout_sec = 600.0\n\n[verifier]\ntimeout_sec = 600.0\n',
    "instruction.md": "Add up /workspace/prices.txt, write /workspace/total.json with `total` and `currency`.\n",
    "environment/Dockerfile": "FROM python:3.12.1\nRUN pip install pytest==8.4.1\nCOPY prices.txt /workspace/\n",
    "environment/prices.txt": "40 EUR\n2 EUR\n",
    "solution/solve.sh": _SOLUTION,
    "tests/test.sh": (
        "#!/bin/bash\npytest /tests/test_outputs.py\nif [ $? -eq 0 ]; then\n"
        f"  echo 1 > {REWARD}\nelse\n  echo 0 > {REWARD}\nfi\n"
    ),
    "tests/test_outputs.py": _TESTS,
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[PlantedResult]:
    folder = tmp_path_factory.mktemp("tasks")
    for name, text in CLEAN.items():
        (folder / "sum" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "sum" / name).write_text(text)
    tasks = clean_tasks([str(folder)])
    assert list(tasks) == ["sum"]
    return list(planted(tasks, DEFECTS, 1))


def test_most_are_found(results: list[PlantedResult]) -> None:
    assert len(results) >= 180
    assert sum(result.is_found for result in results) >= 0.7 * len(results)


@pytest.mark.parametrize("kind", dict.fromkeys(defect.kind for defect in DEFECTS))
def test_some_of_each_kind_are_found(results: list[PlantedResult], kind: str) -> None:
    own = [result.is_found for result in results if result.defect.kind == kind]
    assert len(own) >= 10
    assert sum(own) >= 0.4 * len(own)


def test_the_examples_that_have_no_mistakes_stay_without() -> None:
    assert {"capital", "tidy-contacts", "voltage-drop"} <= clean_tasks([str(EXAMPLES)]).keys()
    assert "broken-verifier" not in clean_tasks([str(EXAMPLES)])


def test_defects_go_into_the_examples_too() -> None:
    done = {result.defect.kind for result in planted(clean_tasks([str(EXAMPLES)]), DEFECTS, 1) if result.is_found}
    assert {"missing versions", "solution", "readable tests"} <= done


def test_the_halves_share_nothing() -> None:
    seen, unseen = (by_half(which) for which in HALVES)
    assert len(seen) + len(unseen) == len(DEFECTS)
    assert not {(one.kind, one.name) for one in seen} & {(one.kind, one.name) for one in unseen}
    assert half("a task") == half("a task")


def test_an_interval() -> None:
    low, high = interval(5, 10)
    assert (round(low, 3), round(high, 3)) == (0.237, 0.763)
