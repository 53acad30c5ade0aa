"""Which of several paths is the output, and what `assay tasks check` says about it."""

from pathlib import Path

import pytest

from assay.adapters.tasks.task_folder import load_task
from assay.engine.tasks.describe_task import output_findings
from assay.engine.tasks.task import Origin, choose_output
from tests.tasks import StepSpec, write_steps, write_task

BOTH = "Read /workspace/in.csv and write /workspace/out.json.\n"


def task_with(folder: Path, dockerfile: str, *, instruction: str = BOTH, toml: str = "", **files: str) -> Path:
    task = write_task(
        folder, instruction=instruction, dockerfile=f"FROM debian:12\nWORKDIR /workspace\n{dockerfile}", toml=toml
    )
    for name, text in files.items():
        path = task / "environment" / name.replace("__", "/").replace("_csv", ".csv")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return task


@pytest.mark.statement("evaluation.input-not-output")
@pytest.mark.parametrize(
    ("dockerfile", "files"),
    [
        ("COPY in.csv .\n", {"in_csv": "a"}),
        ("COPY in.csv /workspace/\n", {"in_csv": "a"}),
        ("COPY in.csv /workspace/in.csv\n", {"in_csv": "a"}),
        ("COPY other.csv /workspace/in.csv\n", {"other_csv": "a"}),
        ("COPY data /workspace\n", {"data__in_csv": "a"}),
        ("COPY data/ ./\n", {"data__in_csv": "a"}),
        ("ADD in.csv .\n", {"in_csv": "a"}),
    ],
)
def test_what_the_environment_brings_along_is_an_input(
    tmp_path: Path, dockerfile: str, files: dict[str, str]
) -> None:
    step = load_task(str(task_with(tmp_path / "task", dockerfile, **files))).steps[0]
    assert step.verifier.expected_output_path == "/workspace/out.json"
    assert (step.output.inputs, step.output.others) == (["/workspace/in.csv"], [])
    (finding,) = output_findings(step)
    inputs = "there before the agent starts: /workspace/in.csv"
    assert finding.rule == "note"
    assert finding.why == f"the output is /workspace/out.json, from the instruction; {inputs}"


@pytest.mark.parametrize(
    ("dockerfile", "files"),
    [
        ("", {}),
        ("COPY in.csv /app/\n", {"in_csv": "a"}),
        ("COPY data /workspace/data\n", {"data__in_csv": "a"}),
        ("COPY data /workspace\n", {"data__in_csv": "a", ".dockerignore": "data/in.csv\n"}),
    ],
)
def test_where_nobody_knows_the_first_is_taken_and_that_is_said(
    tmp_path: Path, dockerfile: str, files: dict[str, str]
) -> None:
    asked = "Look at /workspace/in.csv and at /workspace/out.json.\n"
    step = load_task(str(task_with(tmp_path / "task", dockerfile, instruction=asked, **files))).steps[0]
    assert step.verifier.expected_output_path == "/workspace/in.csv"
    (finding,) = output_findings(step)
    assert (finding.rule, finding.place) == ("output", "instruction.md")
    assert finding.why == (
        "it names several paths, and /workspace/in.csv is taken for the output, not /workspace/out.json; declare"
        " metadata.output.path in task.toml"
    )


def test_a_declared_path_is_taken_and_noted(tmp_path: Path) -> None:
    toml = '[metadata.output]\npath = "/workspace/out.json"\n'
    step = load_task(str(task_with(tmp_path / "task", "", toml=toml))).steps[0]
    assert step.output.origin is Origin.DECLARED
    (finding,) = output_findings(step)
    assert (finding.rule, finding.why) == ("note", "the output is /workspace/out.json, from task.toml")


def test_a_task_that_names_its_input_only_has_the_working_folder_as_its_output(tmp_path: Path) -> None:
    task = task_with(tmp_path / "task", "COPY in.csv .\n", instruction="Tidy /workspace/in.csv.\n", in_csv="a")
    step = load_task(str(task)).steps[0]
    assert (step.verifier.expected_output_path, step.declared) == ("/workspace", None)
    assert output_findings(step) == []


def test_files_that_a_step_brings_along_are_inputs(tmp_path: Path) -> None:
    task = write_steps(tmp_path / "task", [StepSpec("one", workdir={"in.csv": "a"}), StepSpec("two")])
    for name in ("one", "two"):
        (task / "steps" / name / "instruction.md").write_text(
            "Look at /workspace/in.csv and /workspace/out.json.\n"
        )
    one, two = load_task(str(task)).steps
    assert [step.verifier.expected_output_path for step in (one, two)] == [
        "/workspace/out.json",
        "/workspace/in.csv",
    ]
    assert output_findings(two)[0].place == "steps/two/instruction.md"


@pytest.mark.parametrize(
    ("instruction", "output"),
    [
        ("Read /workspace/input.csv and write /workspace/answer.json", "/workspace/answer.json"),
        ("Write the mean of /workspace/in.csv to /workspace/out.json.", "/workspace/out.json"),
        ("Use /workspace/data/x.csv.\nCreate a file /workspace/report.md", "/workspace/report.md"),
        ("Save it in /workspace/o.txt, and leave /workspace/a.txt alone", "/workspace/o.txt"),
        ("Output: /workspace/x.json from /workspace/y.json", "/workspace/x.json"),
        ("Sort /workspace/a.txt as /workspace/b.txt has it", "/workspace/a.txt"),
    ],
)
def test_the_path_that_is_to_be_written_is_the_output(instruction: str, output: str) -> None:
    assert choose_output(None, instruction, "/workspace").path == output
