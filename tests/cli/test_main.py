"""The command line as a whole: help, mistakes, exit codes, and hostile names."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.cli import doctor
from assay.cli.help.overview import GROUPS, WORDS
from assay.cli.main import COMMANDS, main, parser_of
from assay.version import VERSION
from tests.builders import HARBOR_JOBS, REPO, trial_record, unprivileged, write_lock, write_run_folder, write_trial
from tests.cli.running import ASSAY, Cli, Ran, raw_characters, run_assay

J1 = HARBOR_JOBS / "j1"


def is_one_complaint(found: Ran) -> None:
    assert found.code == 2
    assert found.err.startswith("assay: ")
    assert found.err.endswith("\n")
    assert len(found.err.splitlines()) == 1
    assert "Traceback" not in found.err
    assert raw_characters(found.err) == set()


@pytest.mark.parametrize("argv", [[], ["--help"], ["-h"], ["help"]])
def test_the_help_names_every_command(cli: Cli, argv: list[str]) -> None:
    found = cli(*argv)
    assert (found.code, found.err) == (0, "")
    for name, summary in COMMANDS.items():
        assert any(name in line and summary in line for line in found.out.splitlines())


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_command_has_its_own_help(cli: Cli, name: str) -> None:
    found = cli(name, "--help")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith(f"usage: assay {name} ")
    assert "%(" not in found.out
    assert f"\n{parser_of(name).description}" in found.out


@pytest.mark.parametrize("argv", ["--version", "-V", "version"])
def test_the_version(cli: Cli, argv: str) -> None:
    assert cli(argv) == (0, f"assay {VERSION}\n", "")


def test_the_overview_has_every_command_once_and_begins_with_score(cli: Cli) -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted([*COMMANDS, *WORDS])
    assert grouped[0] == "score"
    assert [line for line in cli().out.splitlines() if line.startswith("  assay ")] != []


def test_the_help_of_a_command_can_be_asked_for_in_two_ways(cli: Cli) -> None:
    assert cli("help", "power") == cli("power", "--help")


@pytest.mark.parametrize(
    ("command", "first"),
    [("run", {"agent": "-a AGENT", "judge": "--judge ", "output": "--jobs-dir"}),
     ("score", {"what is scored": "--task", "judge": "--judge ", "output": "--json"})],
)  # fmt: skip
def test_options_of_large_commands_have_groups(cli: Cli, command: str, first: dict[str, str]) -> None:
    parts = dict(part.partition(":\n")[::2] for part in cli(command, "--help").out.split("\n\n"))
    assert {title: parts[title].strip().startswith(option) for title, option in first.items()} == dict.fromkeys(
        first, True
    )
    assert cli(command, "--help").out.count("--judge-url") == 2  # once in the usage
    assert len(parts["options"].splitlines()) < 4


def test_a_mistake_of_ours_is_no_answer_and_shows_no_values(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> int:
        raise KeyError("a value of a run")

    monkeypatch.setattr(doctor, "run", broken)
    found = cli("doctor")
    is_one_complaint(found)
    assert found.err.startswith(
        "assay: this is a mistake in Assay, and there is no answer: KeyError in test_main.py:"
    )
    assert "a value" not in found.err


MISTAKES = [
    ("report",),
    ("report", "/no/such/path"),
    ("report", J1 / "result.json"),
    ("report", J1 / "t-pass__a57vv8Y"),
    ("report", HARBOR_JOBS.parent.parent),
    ("report", "{tmp}/empty"),
    ("report", "{tmp}/planned"),
    ("report", "{tmp}/runless"),
    ("report", J1, "/no/such/path"),
    ("report", J1, "--wrong"),
    ("report", J1, "--threshold", "high"),
    ("report", J1, "--threshold", "nan"),
    ("report", J1, "--threshold", "1e999"),
    ("report", J1, "--threshold"),
    ("report", J1, "-k", "0"),
    ("report", J1, "-k", "1,x"),
    ("report", J1, "-k", "1,,2"),
    ("report", J1, "-k", "-3"),
    ("report", J1, "-k", "9" * 5000),
    ("report", J1, "--metric-script", "/no/such/script.py"),
    ("report", J1, "--json", "--markdown"),
    ("audit",),
    ("audit", "/no/such/path"),
    ("audit", J1 / "result.json"),
    ("audit", "{tmp}/empty"),
    ("audit", "{tmp}/unrecorded"),
    ("audit", "{tmp}/torn"),
    ("audit", "{tmp}/piped"),
    ("audit", J1, "--wrong"),
    ("outcome",),
    ("outcome", "/no/such/path"),
    ("outcome", "{tmp}/piped"),
    ("outcome", "{tmp}/piped/result.json"),
    ("outcome", J1, "--exit-code", "seven"),
    ("outcome", J1, J1),
    ("reward",),
    ("reward", "--exit-status"),
    ("reward", "--exit-status", "x"),
    ("reward", "--exit-status", "256"),
    ("reward", "--exit-status", "-1"),
    ("reward", "--exit-status", "0", "--into", "/no/such/folder"),
    ("reward", "--exit-status", "0", "--into", J1 / "result.json"),
    ("frobnicate",),
    ("frobnicate", J1),
    ("Report", J1),
    ("",),
    ("--wrong",),
    ("-x",),
    ("--", "--help"),
]


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """Folders that can't be used, each in its own way."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "planned").mkdir()
    write_lock(tmp_path / "planned", [("t", "solver")])
    write_run_folder(tmp_path / "runless" / "run", {"results": []})
    for name in ("unrecorded", "torn", "piped"):
        write_trial(tmp_path / name, "t__1", rewards={"reward": 1})
    (tmp_path / "torn" / "result.json").write_text('{"stats": ')
    os.mkfifo(tmp_path / "piped" / "result.json")
    return tmp_path


@pytest.mark.parametrize(
    "argv", MISTAKES, ids=lambda argv: " ".join(map(str, argv)).replace(str(HARBOR_JOBS), "…")[:60]
)
def test_a_mistake_is_answered_with_one_line(cli: Cli, places: Path, argv: tuple[object, ...]) -> None:
    is_one_complaint(cli(*(str(argument).replace("{tmp}", str(places)) for argument in argv)))


@pytest.mark.parametrize("command", ["report", "audit", "outcome"])
def test_what_may_not_be_read_is_answered_with_one_line(cli: Cli, open_folder: Path, command: str) -> None:
    parser_of(command)  # Imported now: afterwards, not even Python's own files may be read.
    write_trial(open_folder / "job", "t__1")
    (open_folder / "job" / "result.json").write_text("{}")
    (open_folder / "job" / "result.json").chmod(0)
    if command == "report":
        (open_folder / "job").chmod(0)
    with unprivileged():
        found = cli(command, open_folder / "job")
    is_one_complaint(found)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("report", "/no/such/path"), "/no/such/path doesn't exist"),
        (("report", J1 / "result.json"), "must be a job folder, but it is a file"),
        (("report", J1 / "t-pass__a57vv8Y"), "pass the job folder around it"),
        (("report", "{tmp}/empty"), "must be a job folder, but it has no config.json"),
        (("report", "{tmp}/planned"), "has no trials (1 are planned)"),
        (("report", J1, "-k", "0"), "must be whole numbers of at least 1, such as 1,4, got '0'"),
        (("report", J1, "--wrong"), "--wrong (see 'assay report --help')"),
        (("frobnicate",), "unknown command 'frobnicate' (see 'assay help')"),
        (("reprot",), "unknown command 'reprot'; did you mean report? (see 'assay help')"),
        (("scor", "--json"), "unknown command 'scor'; did you mean score? (see 'assay help')"),
        (("--wrong",), "unknown option '--wrong' (see 'assay help')"),
        (("--verson",), "unknown option '--verson'; did you mean --version? (see 'assay help')"),
        (("--wrong", "report", J1), "unknown option '--wrong'"),
        (
            ("report", J1, "--jsn"),
            "unrecognized arguments: --jsn; did you mean --json? (see 'assay report --help')",
        ),
        (
            ("judge", "gates", J1, "--jsn"),
            "unrecognized arguments: --jsn; did you mean --json? (see 'assay judge --help')",
        ),
        (("report", J1, "--zzz"), "unrecognized arguments: --zzz (see 'assay report --help')"),
        (("audit", "{tmp}/unrecorded"), "must have a result.json to audit, but it has none"),
    ],
)
def test_the_line_says_what_is_wrong(cli: Cli, places: Path, argv: tuple[object, ...], words: str) -> None:
    found = cli(*(str(argument).replace("{tmp}", str(places)) for argument in argv))
    is_one_complaint(found)
    assert words in found.err


@pytest.mark.parametrize("command", ["report", "audit", "outcome"])
@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "a\rb", "bell\x07", "\u202eoverride", "\udcff"])
def test_a_hostile_path_in_a_complaint_stays_on_its_line(
    cli: Cli, tmp_path: Path, command: str, name: str
) -> None:
    is_one_complaint(cli(command, f"{tmp_path}/{name}"))


@pytest.mark.parametrize("option", ["--\x1b[31mred", "--a\nb"])
@pytest.mark.parametrize("command", [(), ("report", J1)])
def test_a_hostile_option_in_a_complaint_stays_on_its_line(
    cli: Cli, command: tuple[object, ...], option: str
) -> None:
    is_one_complaint(cli(*command, option))


HOSTILE = "\x1b[31mr\ne\rd\x07\x9b2J\u202e\u2028|`"


@pytest.fixture
def hostile_job(tmp_path: Path) -> Path:
    """A job in which every name that an agent or a task could choose is hostile."""
    job = tmp_path / f"job{HOSTILE}"
    for i in range(4):
        fields = {"rewards": {f"key{HOSTILE}": i / 2}} if i < 2 else {"exception": f"Error{HOSTILE}"}
        write_trial(
            job,
            f"task__{i}",
            trial_name=f"task{HOSTILE}__{i}",
            task=f"task{HOSTILE}",
            agent=f"agent{HOSTILE}",
            model=f"model{HOSTILE}",
            dataset=f"set{HOSTILE}",
            files={"verifier/reward.txt": "0.125"},
            **fields,
        )
    (job / f"broken{HOSTILE}__1").mkdir()
    (job / f"lost{HOSTILE}__1").mkdir()
    record = json.dumps(trial_record("lost__1", rewards={f"key{HOSTILE}": None}))
    (job / f"lost{HOSTILE}__1" / "result.json").write_text(record)
    (job / f"foreign{HOSTILE}").write_text("")
    (job / os.fsdecode(b"foreign\xff")).write_text("")
    write_lock(job, [(f"never{HOSTILE}", f"agent{HOSTILE}")] * 9)
    (job / "result.json").write_text(
        '{"stats": {"evals": {"g\\u001b[31m\\n": {"m\\u001b[31m\\n": "\\u001b[31m\\n"}}}}'
    )
    return job


@pytest.mark.parametrize(
    "argv",
    [
        ("report",),
        ("report", "--markdown"),
        ("report", "--json"),
        ("report", "--key", f"key{HOSTILE}"),
        ("report", "--key", f"key{HOSTILE}", "--markdown"),
        ("audit",),
        ("audit", "--quiet"),
        ("audit", "--json"),
        ("outcome",),
    ],
    ids=lambda argv: " ".join(argv).encode("unicode_escape").decode(),
)
def test_hostile_names_never_reach_the_terminal_raw(cli: Cli, hostile_job: Path, argv: tuple[str, ...]) -> None:
    found = cli(*argv, hostile_job)
    assert found.code in (0, 1)
    assert raw_characters(found.out) == set()
    assert raw_characters(found.err) == set()


@pytest.mark.parametrize("argv", [("report",), ("report", "--markdown"), ("audit",)])
def test_hostile_names_of_terminal_bench_neither(cli: Cli, tmp_path: Path, argv: tuple[str, ...]) -> None:
    entry = {"trial_name": f"run{HOSTILE}", "task_id": f"task{HOSTILE}", "is_resolved": None}
    figures = {"pass_at_k": {"2": 0.5}, "accuracy": 1}
    results = {"results": [entry | {"failure_mode": f"mode{HOSTILE}"}, entry, {HOSTILE: 1}], **figures}
    write_run_folder(tmp_path / f"all{HOSTILE}" / f"run{HOSTILE}", results, agent_name=f"agent{HOSTILE}")
    found = cli(*argv, tmp_path / f"all{HOSTILE}")
    assert found.code in (0, 1)
    assert raw_characters(found.out + found.err) == set()


def test_a_metric_script_that_fails_is_answered_with_one_line(cli: Cli, tmp_path: Path) -> None:
    script = tmp_path / "metric.py"
    script.write_text('raise ValueError("\\x1b[31mthe reason\\n")')
    job = Path(shutil.copytree(J1, tmp_path / "j1"))
    config = job / "config.json"
    config.write_text(config.read_text().replace('"metrics": []', '"metrics": [{"type": "uv-script"}]'))
    found = cli("report", job, "--metric-script", script)
    is_one_complaint(found)
    assert "the reason" in found.err


def test_an_interruption_is_no_traceback(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_args: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.cli.outcome.run", interrupted)
    assert cli("outcome", J1) == (130, "", "assay: interrupted\n")


# The command as it is installed, in a process of its own.
def test_the_installed_command() -> None:
    assert run_assay("--version") == (0, f"assay {VERSION}\n", "")
    is_one_complaint(run_assay("report", "/no/such/path"))
    assert run_assay("report", J1).out.startswith("j1 · harbor-0.13.1 · finished\n")


@pytest.mark.parametrize("argv", [["--help"], ["--version"], ["outcome", "--help"]])
def test_help_does_not_wait_for_the_slow_libraries(argv: list[str]) -> None:
    code = (
        "import sys\n"
        "from assay.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "slow = {'pydantic', 'pydantic_core', 'msgspec'}\n"
        "print(*(slow & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *argv], capture_output=True, text=True, check=True)
    assert done.stderr == "\n"
    assert done.stdout


def test_an_outcome_does_not_wait_for_them_either() -> None:
    code = "import sys; from assay.cli.main import main; main(sys.argv[1:]); sys.exit('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, "outcome", str(J1)], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


_DAYS = REPO / "examples" / "comparison"
WORSE = ["compare", _DAYS / "tuesday", _DAYS / "monday", "--fail-if-worse-than", "0.02"]


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["--help"], 0),
        (["report", "--help"], 0),
        (["--version"], 0),
        (["report", J1], 0),
        (["audit", J1], 0),
        (WORSE, 1),
        (["report", *[J1] * 20], 0),
    ],
)
def test_a_reader_that_has_seen_enough_changes_no_answer(argv: list[object], code: int) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        found = run_assay(*argv, stdout=write_end)
    finally:
        os.close(write_end)
    assert found.err == ""
    assert found.code == code


def _to_a_full_disk(command: list[str]) -> subprocess.CompletedProcess[str]:
    with open("/dev/full", "w") as full:
        return subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)


def _to_nowhere(command: list[str]) -> subprocess.CompletedProcess[str]:
    shell = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
    return subprocess.run(shell, stderr=subprocess.PIPE, text=True, check=False)


@pytest.mark.parametrize("call", [_to_a_full_disk, _to_nowhere])
def test_output_that_can_not_be_written_is_no_traceback(
    call: Callable[[list[str]], subprocess.CompletedProcess[str]],
) -> None:
    done = call([ASSAY, "report", str(J1)])
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1


def test_names_that_the_terminal_can_not_show_are_escaped(tmp_path: Path) -> None:
    write_trial(tmp_path, "naïve__1", rewards={"reward": 1}, agent="ag€nt")
    command = [ASSAY, "report", str(tmp_path)]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert b"ag\\u20acnt" in done.stdout
    assert done.stderr == b""


@pytest.mark.statement("harbor.run-options", "harbor.attempts-option")
@pytest.mark.parametrize(
    ("options", "expected"),
    [((), (1, 4, 0)), (("-k", "5", "-n", "2", "-r", "3"), (5, 2, 3)), (("--n-attempts", "2"), (2, 4, 0))],
)
def test_the_defaults_of_a_run_are_harbors(options: tuple[str, ...], expected: tuple[int, int, int]) -> None:
    args = parser_of("run").parse_args(["tasks", "-a", "nop", *options])
    assert (args.n_attempts, args.n_concurrent, args.max_retries) == expected


# A shell ignores interruptions for what it starts in the background, and so would all that it starts.
INTERRUPTIBLE = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)"


@pytest.mark.parametrize(
    ("lines", "ends"),
    [
        ("import atexit; atexit.register(os.kill, os.getpid(), signal.SIGINT)", ""),
        ("class Dying:\n    def __del__(self): os.kill(os.getpid(), signal.SIGINT)\ndel Dying.x", ""),
        ("raise KeyboardInterrupt", "assay: interrupted\n"),
        (
            "try: raise KeyboardInterrupt\nexcept KeyboardInterrupt: os.kill(os.getpid(), signal.SIGINT)",
            "assay: interrupted\n",
        ),
    ],
)
def test_an_interruption_at_an_odd_moment_is_no_traceback(lines: str, ends: str) -> None:
    lines = lines.replace(
        "del Dying.x",
        "one = Dying(); del one\ntry: time.sleep(60); raise SystemExit('lost')\nexcept KeyboardInterrupt: pass",
    )
    code = (
        f"{INTERRUPTIBLE}\nimport os, time\nfrom assay.cli.main import stop_in_order\nstop_in_order()\n{lines}\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ends


def test_an_interruption_before_there_is_anything_to_clean_up_says_nothing() -> None:
    code = f"{INTERRUPTIBLE}\nimport os, assay.start\nos.kill(os.getpid(), signal.SIGINT)\nprint('goes on')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_the_command_stops_in_order_once_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def run(_args: object) -> int:
        order.append("run")
        return 0

    monkeypatch.setattr(doctor, "run", run)
    assert main(["doctor"], lambda: order.append("ready")) == 0
    assert order == ["ready", "run"]


def test_no_password_is_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.adapters.store.opening.revision_of", lambda _: ("1", "1"))
    found = Cli(capsys)("db", "check", "--store", "postgresql://u:s3cret@127.0.0.1:1/x?password=s3cret")
    assert found.out == "postgresql://u:***@127.0.0.1:1/x: the tables are up to date (1)\n"
    assert "s3cret" not in found.out + found.err
