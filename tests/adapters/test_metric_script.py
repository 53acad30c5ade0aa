"""A dataset's own metric, run as a real process."""

import math
import textwrap
from pathlib import Path

import pytest

from assay.adapters.jobs import metric_script
from assay.adapters.jobs.metric_script import ScriptMetric
from assay.core.errors import MeasurementError


@pytest.fixture(autouse=True)
def without_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python that runs the tests, even where uv is installed: no test waits for a package index."""
    monkeypatch.setattr("shutil.which", lambda _name: None)


def script(folder: Path, body: str) -> ScriptMetric:
    head = """\
        import argparse, json, os, sys
        parser = argparse.ArgumentParser()
        parser.add_argument("-i", "--input"), parser.add_argument("-o", "--output")
        args = parser.parse_args()
        rewards = [json.loads(line) for line in open(args.input)]
        """
    path = folder / "metric.py"
    path.write_text(textwrap.dedent(head) + textwrap.dedent(body))
    return ScriptMetric(path)


SHARE = 'json.dump({"share": sum(r is not None for r in rewards) / len(rewards)}, open(args.output, "w"))'


def test_it_gets_one_line_a_trial_and_its_answer_is_the_metric(tmp_path: Path) -> None:
    metric = script(tmp_path, SHARE)
    assert metric.compute([{"reward": 1}, None, {"reward": 0}, {"a": 1, "b": 0.5}]) == {"share": 0.75}


def test_what_it_reads(tmp_path: Path) -> None:
    metric = script(tmp_path, 'open(args.output, "w").write(json.dumps({"seen": open(args.input).read()}))')
    found = metric.compute([{"b": 1, "a": 0.1}, None, {"naïve": math.nan}])
    assert found == {"seen": '{"b": 1, "a": 0.1}\nnull\n{"na\\u00efve": NaN}\n'}


def test_it_may_answer_anything_that_is_an_object(tmp_path: Path) -> None:
    metric = script(tmp_path, 'open(args.output, "w").write(\'{"a": [1, {"b": null}], "c": "text"}\')')
    assert metric.compute([None]) == {"a": [1, {"b": None}], "c": "text"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("sys.exit(3)", "Failed to compute custom metric"),
        ('sys.exit("the reason")', "Failed to compute custom metric: the reason"),
        ('raise ValueError("the reason")', "ValueError: the reason"),
        ("this is no Python", "SyntaxError"),
        ("os.kill(os.getpid(), 9)", "Failed to compute custom metric"),
        (SHARE + "; sys.exit(1)", "Failed to compute custom metric"),
        ("pass", r"must write a metric\.json, but it wrote none"),
        ('print("to the wrong place")', r"must write a metric\.json, but it wrote none"),
        ('open(args.output, "w").write("")', r"metric\.json of .* must be JSON: "),
        ('open(args.output, "w").write("{")', r"metric\.json of .* must be JSON: "),
        ('open(args.output, "wb").write(b"\\xff")', r"metric\.json of .* must be JSON: "),
        ('open(args.output, "w").write("[1]")', "must be an object, got list"),
        ('open(args.output, "w").write("0.5")', "must be an object, got float"),
    ],
)
def test_a_script_that_fails_breaks_the_measurement(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(MeasurementError, match=message):
        script(tmp_path, body).compute([{"reward": 1}])


@pytest.mark.parametrize("body", ["os.mkdir(args.output)", 'open(args.output, "w").write("[" * 100_000)'])
def test_an_answer_that_can_not_be_read_breaks_the_measurement_too(tmp_path: Path, body: str) -> None:
    with pytest.raises(MeasurementError):
        script(tmp_path, body).compute([{"reward": 1}])


def test_a_script_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_script, "TIMEOUT_SEC", 0.5)
    with pytest.raises(MeasurementError, match=r"took longer than 0\.5 s"):
        script(tmp_path, "import time; time.sleep(60)").compute([{"reward": 1}])


def test_an_endless_complaint_is_cut(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError) as raised:
        script(tmp_path, 'sys.stderr.write("x" * 100_000 + "the end"); sys.exit(1)').compute([None])
    assert len(str(raised.value)) < 3000
    assert str(raised.value).endswith("the end")


def test_nothing_is_left_in_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    assert script(tmp_path, SHARE).compute([None]) == {"share": 0.0}
    with pytest.raises(MeasurementError):
        script(tmp_path, "sys.exit(1)").compute([None])
    (home,) = (tmp_path / "temporary").iterdir()
    assert list(home.iterdir()) == []


def test_with_uv_the_script_is_run_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uv = tmp_path / "uv"
    lines = ["#!/bin/sh", f'echo "$@" > {tmp_path}/called', 'for last; do :; done; echo "{}" > "$last"']
    uv.write_text("\n".join(lines))
    uv.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda _name: str(uv))
    assert ScriptMetric(tmp_path / "metric.py").compute([None]) == {}
    assert (tmp_path / "called").read_text().startswith(f"run --no-project {tmp_path}/metric.py -i ")
