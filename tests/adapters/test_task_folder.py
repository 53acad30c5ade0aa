"""Loading a task folder: verifier, output, steps, environment, and every refusal in one sentence."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.machine.trees import copy_tree
from assay.adapters.sandbox.backends import choose
from assay.adapters.tasks.task_folder import find_tasks, load_task
from assay.core.errors import InputError
from assay.dialects.evaluation.models import VerifierSpec
from assay.dialects.evaluation.output import Declared, Format
from assay.engine.machine import TrialSite
from assay.engine.tasks.prepare_task import prepare_task
from assay.engine.tasks.task import LoadedTask
from tests.builders import REPO

TEST_SH = "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n"
PLAIN = {"task.toml": 'schema_version = "1.3"\n', "instruction.md": "Do it.\n", "tests/test.sh": TEST_SH}


def write(folder: Path, files: Mapping[str, str | bytes | None]) -> Path:
    """A folder with these files. Scripts are executable; None leaves one out."""
    for name, content in files.items():
        if content is None:
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(0o755 if name.endswith(".sh") else 0o644)
    return folder


def task(folder: Path, **files: str | bytes | None) -> LoadedTask:
    """A plain task with some files changed; ``instruction`` and ``toml`` are short for two of them."""
    names = {"instruction": "instruction.md", "toml": "task.toml"}
    changed = {names.get(name, name): content for name, content in files.items()}
    return load_task(str(write(folder / "a-task", {**PLAIN, **changed})))


def refusal(folder: Path, files: Mapping[str, str | bytes | None]) -> str:
    path = write(folder / "a-task", {**PLAIN, **files})
    with pytest.raises(InputError) as refused:
        load_task(str(path))
    said = str(refused.value)
    assert "\n" not in said
    return said.replace(f"{path}/", "")


# --- The verifier ---


@pytest.mark.statement("evaluation.test-sh")
def test_tests_test_sh_is_the_verifiers_entry_point(tmp_path: Path) -> None:
    """The script is a path inside of the sandbox, and so are the artifacts."""
    found = task(tmp_path, instruction="Write /workspace/answer.json, please.")
    assert found.steps[0].verifier == VerifierSpec(
        script="/tests/test.sh",
        expected_output_path="/workspace/answer.json",
        reward_path="/logs/verifier/reward.json",
        details_path="/logs/verifier/details.json",
    )
    assert found.warnings == ()
    assert found.steps[0].tests == (f"{tmp_path}/a-task/tests",)


@pytest.mark.statement("evaluation.verify-py")
def test_failing_that_tests_verify_py_with_a_warning(tmp_path: Path) -> None:
    """Notes, evaluation 6."""
    found = task(tmp_path, **{"tests/test.sh": None, "tests/verify.py": "print()"})
    assert found.steps[0].verifier.script == "/tests/verify.py"
    assert found.warnings == (
        f"using {tmp_path}/a-task/tests/verify.py as the verifier, because there is no test.sh",
    )


def test_test_sh_wins_over_verify_py(tmp_path: Path) -> None:
    found = task(tmp_path, **{"tests/verify.py": "print()"})
    assert (found.steps[0].verifier.script, found.warnings) == ("/tests/test.sh", ())


@pytest.mark.statement("evaluation.verify-py")
@pytest.mark.parametrize("files", [{}, {"tests/other.sh": TEST_SH}, {"tests/test.sh/x": "a folder"}])
def test_neither_is_an_error_when_the_task_is_loaded(tmp_path: Path, files: dict[str, str]) -> None:
    said = refusal(tmp_path, {"tests/test.sh": None, **files})
    assert said.endswith("must have a verifier, tests/test.sh or tests/verify.py, but it has neither")


@pytest.mark.statement("harbor.scripts-executable")
@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("#!/bin/sh\n", ("/tests/test.sh",)),
        ("echo 1\n", ("bash", "/tests/test.sh")),
        ("", ("bash", "/tests/test.sh")),
    ],
)
def test_a_verifier_need_not_be_executable_nor_name_its_program(
    tmp_path: Path, text: str, command: tuple[str, ...]
) -> None:
    folder = write(tmp_path / "a-task", {**PLAIN, "tests/test.sh": text, "solution/solve.sh": text})
    (folder / "tests" / "test.sh").chmod(0o644)
    step = load_task(str(folder)).steps[0]
    assert (step.verify, step.verifier.script) == (command, "/tests/test.sh")
    assert step.solve == (*command[:-1], "/solution/solve.sh")


def test_verify_py_need_not_be_executable(tmp_path: Path) -> None:
    assert (
        task(tmp_path, **{"tests/test.sh": None, "tests/verify.py": ""}).steps[0].verifier.script.endswith(".py")
    )


def test_the_verifier_that_is_named_is_there_when_it_is_run(tmp_path: Path) -> None:
    """Links are not copied into a sandbox: a verifier that is one is refused, or followed at loading."""
    folder = write(tmp_path / "a-task", {**PLAIN, "tests/test.sh": None, "shared/test.sh": TEST_SH})
    (folder / "tests").mkdir()
    (folder / "tests" / "test.sh").symlink_to("../shared/test.sh")
    try:
        step = load_task(str(folder)).steps[0]
    except InputError:
        return
    copy_tree(step.tests[0], str(tmp_path / "copy"))
    assert (tmp_path / "copy" / "test.sh").is_file()


# --- The output ---


@pytest.mark.statement("evaluation.output-path-inferred")
@pytest.mark.parametrize(
    ("instruction", "path"),
    [
        ("Write /workspace/answer.json.", "/workspace/answer.json"),
        ("Read /workspace/in.csv and write /workspace/out.csv.", "/workspace/out.csv"),
        ("Write nothing.", "/workspace"),
    ],
)
def test_the_output_is_inferred_from_the_instruction(tmp_path: Path, instruction: str, path: str) -> None:
    """The path below /workspace that is to be written; without one, the working folder itself is the output."""
    found = task(tmp_path, instruction=instruction)
    assert found.steps[0].verifier.expected_output_path == path
    assert (found.steps[0].declared is None) == (path == "/workspace")


@pytest.mark.parametrize(
    ("instruction", "toml", "may_be"),
    [
        ("The repository is in /workspace/repo.", "", True),
        ("Write /workspace/answer.json.", "", False),
        ("Write /workspace/notes.txt.", "", False),
        ("Say it.", '[metadata.output]\npath = "/workspace/answer"\n', False),
        ("Write /workspace/answer", '[metadata.output]\nformat = "text"\n', False),
    ],
)
def test_only_a_name_that_suggests_no_file_may_be_that_of_a_folder(
    tmp_path: Path, instruction: str, toml: str, may_be: bool
) -> None:
    declared = task(tmp_path, instruction=instruction, toml=toml).steps[0].declared
    assert declared is not None
    assert declared.may_be_folder is may_be


@pytest.mark.parametrize(
    "path", ["/workspace/a.json", "/app/a.json", "/logs/artifacts/a.json", "/logs/agent/a.json"]
)
def test_an_output_may_be_wherever_something_of_the_agent_is_kept(tmp_path: Path, path: str) -> None:
    toml = f'[environment]\nworkdir = "/app"\n[metadata.output]\npath = "{path}"\n'
    assert task(tmp_path, toml=toml).steps[0].verifier.expected_output_path == path


@pytest.mark.parametrize(
    "path", ["/output/a.json", "/workspace/../etc/passwd", "/logs/verifier/a.json", "/workspaces/a.json"]
)
def test_an_output_where_nothing_of_the_agent_is_kept_is_refused(tmp_path: Path, path: str) -> None:
    """Every run would lose its reward for an output that nobody could find."""
    assert refusal(tmp_path, {"task.toml": f'[metadata.output]\npath = "{path}"\n'}) == (
        "task.toml: metadata.output.path must lie below /workspace, /logs/agent, /logs/artifacts, where an "
        f"agent's files are kept, got {path}"
    )


@pytest.mark.statement("evaluation.output-path-declared")
def test_task_toml_may_name_the_output_instead(tmp_path: Path) -> None:
    toml = '[metadata.output]\npath = "/workspace/other.csv"\n'
    found = task(tmp_path, instruction="Write /workspace/answer.json.", toml=toml)
    assert found.steps[0].verifier.expected_output_path == "/workspace/other.csv"
    assert found.steps[0].declared == Declared(Format.CSV)


@pytest.mark.parametrize(
    ("table", "declared"),
    [
        ("", Declared(Format.JSON)),
        ('format = "text"', Declared(Format.TEXT)),
        ('sections = ["Summary", "Method"]', Declared(Format.JSON, None, ("Summary", "Method"))),
        ('schema = "output.schema.json"', Declared(Format.JSON, {"type": "object"})),
    ],
)
def test_what_is_declared_about_the_output(tmp_path: Path, table: str, declared: Declared) -> None:
    found = task(
        tmp_path,
        instruction="Write /workspace/answer.json.",
        toml=f"[metadata.output]\n{table}\n",
        **{"output.schema.json": '{"type": "object"}'},
    )
    assert found.steps[0].declared == declared


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('format = "docx"', "metadata.output.format must be 'json', 'csv', 'toml', "),
        ("format = 3", "metadata.output.format"),
        ('colour = "blue"', "unknown field metadata.output.colour"),
        ('schema = "none.json"', "the file none.json doesn't exist"),
        ('schema = "broken.json"', "broken.json must be a JSON Schema, but it isn't JSON: "),
        ('schema = "list.json"', "list.json must be a JSON Schema, which is an object, got list"),
        ('schema = "no-schema.json"', "no-schema.json must be a valid JSON Schema: "),
        ("schema = 3", "metadata.output.schema"),
        ("path = 3", "metadata.output.path"),
        ('path = "answer.json"', "metadata.output.path"),
        ('sections = "Summary"', "metadata.output.sections"),
        ("sections = 3", "metadata.output.sections"),
        ("sections = [3]", "metadata.output.sections"),
    ],
)
def test_a_declaration_that_can_not_be_used_is_refused(tmp_path: Path, table: str, says: str) -> None:
    said = refusal(
        tmp_path,
        {
            "task.toml": f"[metadata.output]\n{table}\n",
            "instruction.md": "Write /workspace/answer.json.",
            "broken.json": "{",
            "list.json": "[]",
            "no-schema.json": '{"type": 12}',
        },
    )
    assert says in said


def test_an_output_that_is_no_table_is_refused(tmp_path: Path) -> None:
    said = refusal(tmp_path, {"task.toml": "[metadata]\noutput = 1\n"})
    assert "metadata.output" in said
    assert "_Table" not in said
    assert "the file" not in said


@pytest.mark.parametrize("table", ['format = "json"', 'schema = "any.json"', 'sections = ["Summary"]'])
@pytest.mark.parametrize("path", ["", 'path = "/workspace"\n'])
def test_a_demand_on_an_output_that_is_no_file_is_refused(tmp_path: Path, table: str, path: str) -> None:
    """Nothing would ever be held against it."""
    said = refusal(tmp_path, {"task.toml": f"[metadata.output]\n{path}{table}\n", "any.json": "{}"})
    assert said == (
        "task.toml: metadata.output.path must name a file, because a format, a schema or sections are declared "
        "for it, got the working folder /workspace"
    )


# --- Steps ---

STEPS = {
    "task.toml": (
        'multi_step_reward_strategy = "final"\n'
        "[agent]\ntimeout_sec = 100\n[verifier]\ntimeout_sec = 200\nenv = {A = '1', B = '1'}\n"
        "[[steps]]\nname = 'one'\nmin_reward = 0.5\n"
        "[[steps]]\nname = 'two'\nagent = {timeout_sec = 10}\nverifier = {timeout_sec = 20, env = {B = '2'}}\n"
        "min_reward = {style = 1.0}\n"
    ),
    "instruction.md": None,
    "tests/test.sh": None,
    "steps/one/instruction.md": "Write /workspace/one.txt.",
    "steps/one/tests/test.sh": TEST_SH,
    "steps/one/workdir/seed.txt": "seed",
    "steps/two/instruction.md": "Write /workspace/two.txt.",
    "steps/two/tests/test.sh": TEST_SH,
    "steps/two/solution/solve.sh": "#!/bin/sh\n",
}


def test_a_task_with_steps(tmp_path: Path) -> None:
    found = task(tmp_path, **STEPS)
    root = f"{tmp_path}/a-task/steps"
    one, two = found.steps
    assert (found.multi_step, found.strategy is not None and found.strategy.value) == (True, "final")
    assert (one.name, one.instruction, one.tests) == ("one", "Write /workspace/one.txt.", (f"{root}/one/tests",))
    assert (one.min_reward, two.min_reward) == (0.5, {"style": 1.0})
    assert (one.solution, two.solution) == (None, f"{root}/two/solution")
    assert (one.workdir_files, two.workdir_files) == (f"{root}/one/workdir", None)


def test_a_step_has_the_output_of_its_own_instruction_in_its_own_format(tmp_path: Path) -> None:
    """A step that writes text is not held against the format of another one."""
    changed = {
        "steps/one/instruction.md": "Write /workspace/one.txt.",
        "steps/two/instruction.md": "Write /workspace/two.json.",
    }
    one, two = task(tmp_path, **{**STEPS, **changed}).steps
    assert (one.verifier.expected_output_path, one.declared) == (
        "/workspace/one.txt",
        Declared(Format.TEXT),
    )
    assert (two.verifier.expected_output_path, two.declared) == (
        "/workspace/two.json",
        Declared(Format.JSON),
    )


def test_a_step_without_an_output_file_has_none_that_could_be_unparseable(tmp_path: Path) -> None:
    one, two = task(tmp_path, **{**STEPS, "steps/one/instruction.md": "Tidy up."}).steps
    assert (one.declared, two.declared) == (None, Declared(Format.TEXT))


def declaring(*tables: str) -> dict[str, str | None]:
    """The task with steps, with these tables in its task.toml."""
    return {**STEPS, "task.toml": "\n".join([STEPS["task.toml"] or "", *tables])}


def test_a_step_may_declare_its_own_output(tmp_path: Path) -> None:
    files = declaring(
        '[metadata.output.one]\nformat = "markdown"\nsections = ["Summary"]',
        '[metadata.output.two]\npath = "/workspace/two.json"\nschema = "two.schema.json"',
    )
    one, two = task(tmp_path, **files, **{"two.schema.json": '{"type": "object"}'}).steps
    assert one.verifier.expected_output_path == "/workspace/one.txt"
    assert one.declared == Declared(Format.MARKDOWN, None, ("Summary",))
    assert two.verifier.expected_output_path == "/workspace/two.json"
    assert two.declared == Declared(Format.JSON, {"type": "object"})


def test_a_step_that_declares_nothing_has_the_output_of_its_instruction(tmp_path: Path) -> None:
    one, two = task(tmp_path, **declaring('[metadata.output.one]\nformat = "json"')).steps
    assert one.declared == Declared(Format.JSON)
    assert (two.verifier.expected_output_path, two.declared) == (
        "/workspace/two.txt",
        Declared(Format.TEXT),
    )


def test_a_step_may_have_the_name_of_a_field(tmp_path: Path) -> None:
    toml = "[[steps]]\nname = 'path'\n[metadata.output.path]\npath = '/workspace/a.csv'\n"
    files = {f"steps/path/{name}": text for name, text in PLAIN.items() if name != "task.toml"}
    (step,) = task(tmp_path, toml=toml, **files).steps
    assert (step.verifier.expected_output_path, step.declared) == (
        "/workspace/a.csv",
        Declared(Format.CSV),
    )


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (
            "[metadata.output.three]\nformat = 'json'",
            "task.toml: metadata.output.three: the task has no step three; its steps are one, two",
        ),
        (
            "[metadata.output]\npath = '/workspace/x'",
            "task.toml: metadata.output.path: a task with steps must declare the output of each step in its "
            "own table, such as [metadata.output.one]",
        ),
        (
            "[metadata.output]\none = '/workspace/x'",
            "task.toml: metadata.output.one: a task with steps must declare the output of each step in its "
            "own table, such as [metadata.output.one]",
        ),
        ("[metadata.output.two]\ncolour = 'red'", "task.toml: unknown field metadata.output.two.colour"),
        (
            "[metadata.output.two]\nformat = 'docx'",
            "task.toml: metadata.output.two.format must be 'json', 'csv', 'toml', 'yaml', 'xml', "
            "'markdown' or 'text', got \"docx\"",
        ),
        ("[metadata.output.two]\nschema = 'none.json'", "the file none.json doesn't exist"),
    ],
)
def test_a_declaration_for_a_step_that_can_not_be_used_is_refused(tmp_path: Path, table: str, says: str) -> None:
    assert refusal(tmp_path, declaring(table)) == says


def test_a_table_for_a_step_of_a_task_without_steps_is_refused(tmp_path: Path) -> None:
    said = refusal(tmp_path, {"task.toml": "[metadata.output.one]\npath = '/workspace/x'\n"})
    assert said == "task.toml: unknown field metadata.output.one"


def test_what_a_phase_says_of_itself_then_the_task_then_the_environment(tmp_path: Path) -> None:
    one, two = task(tmp_path, **STEPS).steps
    assert (one.agent.timeout_sec, two.agent.timeout_sec) == (100.0, 10.0)
    assert (one.verifier_phase.timeout_sec, two.verifier_phase.timeout_sec) == (200.0, 20.0)
    assert (one.verifier_phase.env, two.verifier_phase.env) == ({"A": "1", "B": "1"}, {"A": "1", "B": "2"})


@pytest.mark.parametrize(
    ("environment", "phase", "step", "network"),
    [
        (None, None, None, False),
        ("public", None, None, True),
        ("public", "no-network", None, False),
        ("public", "no-network", "public", True),
        ("no-network", "public", None, True),
        ("public", None, "no-network", False),
        (None, None, "public", True),
    ],
)
@pytest.mark.parametrize("who", ["agent", "verifier"])
def test_only_who_asks_for_the_network_has_it(
    tmp_path: Path, who: str, environment: str | None, phase: str | None, step: str | None, network: bool
) -> None:
    """The innermost word holds. The other phase is not meant."""
    lines = [
        f"[{table}]\nnetwork_mode = '{mode}'\n"
        for table, mode in (("environment", environment), (who, phase))
        if mode is not None
    ]
    own = "" if step is None else f"{who} = {{network_mode = '{step}'}}\n"
    toml = "".join(lines) + f"[[steps]]\nname = 'one'\n{own}"
    found = task(tmp_path, **{**STEPS, "task.toml": toml}).steps[0]
    phases = {"agent": found.agent, "verifier": found.verifier_phase}
    assert phases.pop(who).network is network
    assert phases.popitem()[1].network is (environment == "public")


@pytest.mark.parametrize(
    ("task_user", "step_user", "expected"),
    [(None, None, None), ("root", None, "root"), ("root", 1000, 1000), ("root", 0, 0), (None, "bob", "bob")],
)
@pytest.mark.parametrize("who", ["agent", "verifier"])
def test_the_user_of_a_phase(
    tmp_path: Path, who: str, task_user: str | None, step_user: str | int | None, expected: str | int | None
) -> None:
    top = "" if task_user is None else f"[{who}]\nuser = {task_user!r}\n"
    own = "" if step_user is None else f"{who} = {{user = {step_user!r}}}\n"
    found = task(tmp_path, **{**STEPS, "task.toml": f"{top}[[steps]]\nname = 'one'\n{own}"}).steps[0]
    assert {"agent": found.agent, "verifier": found.verifier_phase}[who].user == expected


@pytest.mark.parametrize(("files", "field"), [(STEPS, "steps.one.agent"), (PLAIN, "agent")])
def test_a_phase_knows_its_table_for_complaints(tmp_path: Path, files: dict[str, str | None], field: str) -> None:
    assert task(tmp_path, **files).steps[0].agent.field == field


def test_shared_tests_come_before_a_steps_own(tmp_path: Path) -> None:
    """Both make up /tests, and the step's file wins."""
    found = task(tmp_path, **{**STEPS, "tests/helper.py": "x = 1\n"})
    root = f"{tmp_path}/a-task"
    assert found.steps[0].tests == (f"{root}/tests", f"{root}/steps/one/tests")


def test_a_shared_test_sh_does_for_every_step_without_its_own(tmp_path: Path) -> None:
    found = task(tmp_path, **{**STEPS, "tests/test.sh": TEST_SH, "steps/one/tests/test.sh": None})
    assert [step.verifier.script for step in found.steps] == ["/tests/test.sh"] * 2
    assert found.steps[0].tests == (f"{tmp_path}/a-task/tests",)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"steps/one/instruction.md": None}, "the file steps/one/instruction.md doesn't exist"),
        ({"steps/one/tests/test.sh": None}, "steps/one must have a verifier"),
        ({"task.toml": "steps = []"}, "task.toml: steps must not be empty; leave it out for a task with one step"),
        ({"task.toml": "[[steps]]\nname = 'three'"}, "the file steps/three/instruction.md doesn't exist"),
    ],
)
def test_a_step_that_can_not_be_used_is_refused(tmp_path: Path, files: dict[str, str | None], says: str) -> None:
    assert says in refusal(tmp_path, {**STEPS, **files})


def test_a_task_without_steps_has_a_single_one_without_a_name(tmp_path: Path) -> None:
    found = task(tmp_path, **{"workdir/not-for-steps": "x"})
    assert (found.multi_step, len(found.steps), found.steps[0].name) == (False, 1, None)
    assert found.steps[0].workdir_files is None
    assert (found.steps[0].agent.timeout_sec, found.steps[0].verifier_phase.timeout_sec) == (None, 600.0)


# --- The environment ---


def test_the_dockerfiles_word_and_task_tomls_above_it(tmp_path: Path) -> None:
    dockerfile = {"environment/Dockerfile": "FROM debian:12\nWORKDIR /app\nENV A=1 B=1\n"}
    found = task(tmp_path, toml="[environment]\nworkdir = '/srv'\nenv = {B = '2', C = '3'}\n", **dockerfile)
    assert (found.environment.workdir, found.environment.env) == ("/srv", {"A": "1", "B": "1"})
    assert found.config.environment.env == {"B": "2", "C": "3"}
    assert found.environment.dockerfile == f"{tmp_path}/a-task/environment/Dockerfile"
    assert (found.environment.needs_image, found.environment.image) == (None, None)


def test_without_a_dockerfile_there_is_the_workspace(tmp_path: Path) -> None:
    found = task(tmp_path).environment
    assert (found.workdir, found.env, found.copies, found.needs_image, found.dockerfile) == (
        "/workspace",
        {},
        (),
        None,
        None,
    )


def test_an_image_of_its_own_is_needed(tmp_path: Path) -> None:
    found = task(tmp_path, toml="[environment]\ndocker_image = 'python:3.12'\n").environment
    assert (found.image, found.needs_image) == ("python:3.12", "environment.docker_image python:3.12")


HARBORS_OWN = """\
services:
  main:
    build: {context: "${CONTEXT_DIR}"}
    image: ${MAIN_IMAGE_NAME}
    command: [sh, -c, sleep infinity]
    environment: ["TEST_DIR=${TEST_DIR}"]
    volumes: ["${HOST_VERIFIER_LOGS_PATH}:${ENV_VERIFIER_LOGS_PATH}"]
    deploy: {resources: {limits: {cpus: "${CPUS}"}}}
"""


@pytest.mark.parametrize(
    ("compose", "said"),
    [
        (HARBORS_OWN, None),
        ("services: {main: {build: .}}", None),
        ("services: {}", "it must have services, but it has none"),
        ("- no\n- mapping", "it must have services, but it has none"),
        ("services: [", "it must have services, but it has none"),
        (
            "services: {main: {}, db: {image: 'postgres:16'}}",
            "a task must have a single container, but it has the services main, db",
        ),
        ("services: {main: {privileged: true}}", "services.main.privileged is not supported"),
        (
            "services: {main: {volumes: ['/etc:/etc']}}",
            "services.main.volumes must only name harbor's own folders",
        ),
        (
            "services: {main: {environment: {A: b}}}",
            "services.main.environment must be set in task.toml or the Dockerfile",
        ),
        (
            "services: {main: {build: {context: ., dockerfile: Other}}}",
            "services.main.build must name the folder of the task's own Dockerfile",
        ),
        ("services: {main: 1}", "services.main must be a mapping"),
    ],
)
def test_a_compose_file_must_not_ask_for_more_than_one_container(
    tmp_path: Path, compose: str, said: str | None
) -> None:
    """Such a task is loaded, so that it can be looked at, but it isn't run."""
    found = task(tmp_path, **{"environment/docker-compose.yaml": compose}).unsupported
    where = "environment/docker-compose.yaml: "
    assert (found if found is None else found.partition(where)[2]) == said


def test_what_is_not_supported_keeps_nobody_from_looking_at_a_task(tmp_path: Path) -> None:
    found = task(tmp_path, toml="[environment]\ngpus = 1\n")
    assert found.unsupported == f"{found.path}/task.toml: environment.gpus: GPUs are not supported"


@pytest.mark.parametrize("name", ["docker-compose.yml", "compose.yaml", "compose.yml"])
def test_a_compose_file_that_harbor_does_not_read_is_data(tmp_path: Path, name: str) -> None:
    files = {
        f"environment/{name}": "services: {}",
        "environment/Dockerfile": f"FROM debian\nCOPY {name} /workspace/",
    }
    assert len(task(tmp_path, **files).environment.copies) == 1


def test_an_image_wins_over_a_dockerfile(tmp_path: Path) -> None:
    dockerfile = {"environment/Dockerfile": "FROM debian:12\nWORKDIR /app\nCOPY nothing /app/"}
    found = task(tmp_path, toml="[environment]\ndocker_image = 'python:3.12'\n", **dockerfile).environment
    assert (found.image, found.workdir, found.broken) == ("python:3.12", "/app", None)
    assert found.needs_image == "environment.docker_image python:3.12"


def test_a_dockerfile_that_copies_what_is_not_there_can_be_loaded_but_not_prepared(tmp_path: Path) -> None:
    found = task(tmp_path, **{"environment/Dockerfile": "FROM debian\nCOPY nothing /x/"})
    assert found.environment.broken is not None
    assert "environment/Dockerfile:2: nothing doesn't exist in" in found.environment.broken
    with pytest.raises(InputError, match="nothing doesn't exist in"):
        prepare_task(found, TrialSite(choose("process"), ThisHost()))


@pytest.mark.statement("harbor.task-fields")
def test_an_unknown_field_is_mentioned(tmp_path: Path) -> None:
    found = task(tmp_path, toml="[environment]\nextensions = ['claude-cli']\n")
    assert [said.partition("task.toml: ")[2] for said in found.warnings] == [
        "the field environment.extensions is unknown and has no effect"
    ]


def test_a_working_folder_is_never_the_output_of_a_task_that_names_it(tmp_path: Path) -> None:
    dockerfile = {"environment/Dockerfile": "FROM debian:12\nWORKDIR /app\n"}
    found = task(tmp_path, instruction="Work in your folder.", **dockerfile)
    assert (found.steps[0].verifier.expected_output_path, found.steps[0].declared) == ("/app", None)


# --- The rest ---


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"task.toml": None}, "the file task.toml doesn't exist"),
        ({"instruction.md": None}, "the file instruction.md doesn't exist"),
        ({"instruction.md": b"\xff"}, "instruction.md must be UTF-8 text, but it isn't"),
        ({"task.toml": b"\xff"}, "task.toml must be UTF-8 text, but it isn't"),
        ({"task.toml": "="}, "task.toml must be TOML: "),
        ({"environment/Dockerfile": b"\xff"}, "environment/Dockerfile must be UTF-8 text, but it isn't"),
        ({"environment/Dockerfile": "# FROM x\n"}, "environment/Dockerfile must have a FROM instruction"),
    ],
)
def test_a_folder_that_can_not_be_used_is_refused(
    tmp_path: Path, files: dict[str, str | bytes | None], says: str
) -> None:
    assert refusal(tmp_path, files).startswith(says)


def test_a_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    folder = write(tmp_path / "a-task", {**PLAIN, "instruction.md": None})
    (folder / "instruction.md").symlink_to("/etc/hostname")
    with pytest.raises(InputError, match=r"instruction\.md can't be read: it is a symbolic link$"):
        load_task(str(folder))


def test_the_name_of_a_task(tmp_path: Path) -> None:
    assert task(tmp_path).name == "a-task"
    assert task(tmp_path, toml="[task]\nname = 'org/volts'\n").name == "org/volts"


def test_the_checksum_covers_every_file(tmp_path: Path) -> None:
    before = task(tmp_path).checksum
    assert task(tmp_path).checksum == before
    assert task(tmp_path, **{"solution/solve.sh": "true"}).checksum != before


def test_a_file_name_that_is_no_text_is_no_obstacle(tmp_path: Path) -> None:
    folder = write(tmp_path / "a-task", PLAIN)
    (folder / os.fsdecode(b"\xff")).write_text("x")
    assert load_task(str(folder)).name == "a-task"


# --- Finding tasks ---


def test_tasks_are_found_by_their_task_toml(tmp_path: Path) -> None:
    for name in ("b", "a"):
        write(tmp_path / "all" / name, PLAIN)
    write(tmp_path / "all" / "no-task", {"README": "x"})
    both = [f"{tmp_path}/all/a", f"{tmp_path}/all/b"]
    assert find_tasks([f"{tmp_path}/all"]) == both
    assert find_tasks([f"{tmp_path}/all/"]) == both
    assert find_tasks([f"{tmp_path}/all/b", f"{tmp_path}/all/a"]) == both[::-1]


def test_tasks_are_found_at_any_depth(tmp_path: Path) -> None:
    for name in ("b/deep/er/task", "a", "b/flat", "b/flat/not-a-task", ".git/hidden"):
        write(tmp_path / name, PLAIN)
    os.symlink(tmp_path / "b", tmp_path / "b" / "round")
    os.symlink(tmp_path / "a", tmp_path / "z-link")
    names = [os.path.relpath(path, tmp_path) for path in find_tasks([str(tmp_path)])]
    assert names == ["a", "b/deep/er/task", "b/flat", "z-link"]


def test_what_holds_no_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"must be a task or a folder of tasks, but neither it nor a folder below has a task\.toml",
    ):
        find_tasks([str(tmp_path)])
    with pytest.raises(InputError, match=r"the folder .* doesn't exist"):
        find_tasks([f"{tmp_path}/nowhere"])


@pytest.mark.parametrize("path", find_tasks([str(REPO / "examples" / "tasks")]), ids=os.path.basename)
def test_every_example_loads(path: str) -> None:
    found = load_task(path)
    assert found.environment.needs_image is None
    assert found.warnings == ()
    assert all(step.solution for step in found.steps)


def test_the_example_of_the_document(tmp_path: Path) -> None:
    found = load_task(str(REPO / "examples" / "tasks" / "voltage-drop"))
    schema = json.loads((REPO / "examples/tasks/voltage-drop/output.schema.json").read_text())
    assert found.steps[0].declared == Declared(Format.JSON, schema)
    assert found.steps[0].verifier.expected_output_path == "/workspace/answer.json"
