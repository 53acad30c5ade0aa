"""What an agent may leave behind: links, closed folders, odd names, trees without end. None of it is trusted."""

import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.cli.main import main
from tests.attacks.conftest import Attack
from tests.cli.running import raw_characters
from tests.sampling import sampled
from tests.tasks import ANSWER, FAIL, PASS, Attempt, StepSpec, attempt, write_steps

BASE = "$(readlink -f /workspace)"


def packed(left: Attempt) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(left.folder / "workspace.tar.gz") as archive:
        return {entry.name: entry for entry in archive}


def grade_again(left: Attempt, isolation: str) -> int:
    return main(["grade", str(left.folder), "--isolation", isolation])


def test_the_workspace_replaced_by_a_link(attack: Attack, isolation: str) -> None:
    swap = f"b={BASE}; cd /; mv $b $b.old; ln -s /etc $b; rm -rf /workspace; ln -sfn /etc /workspace"
    left = attack(f"({swap}) 2>/dev/null; true", verifier="ls /workspace; " + FAIL)
    assert left.rewards == {"reward": 0.0}
    assert not any(name.endswith("passwd") for name in packed(left))
    assert grade_again(left, isolation) in (0, 2)


@pytest.mark.parametrize("target", ["/etc/passwd", "/etc/shadow", "/proc/self/environ", "/dev/zero", "/"])
@pytest.mark.parametrize("isolation", ["bubblewrap"], indirect=True)
def test_a_link_as_output_is_not_followed(attack: Attack, target: str) -> None:
    left = attack(f"ln -s {target} answer.txt", instruction="Write /workspace/answer.txt.", verifier=PASS)
    assert left.gradings[0]["result"]["reward"] == 0.0
    assert left.gradings[0]["provenance"]["hashes"]["output"] is None
    entry = packed(left)["workspace/answer.txt"]
    assert (entry.issym(), entry.linkname) == (True, target)


def test_closed_folders(attack: Attack, isolation: str) -> None:
    left = attack(
        "echo right > answer.txt; mkdir -p closed/inner /logs/agent/closed; echo x > closed/inner/file;"
        "echo x > /logs/agent/closed/file; chmod 000 closed/inner closed /logs/agent/closed",
        verifier=ANSWER,
    )
    assert left.rewards == {"reward": 1}
    assert "workspace/closed/inner/file" in packed(left)
    assert left.text("agent/closed/file") == "x\n"
    assert grade_again(left, isolation) == 0
    assert [grading["result"]["reward"] for grading in left.gradings] == [1.0, 1.0]


ODD = [b"line\nfeed", b"\x1b[31mred", b"\xff\xfe not UTF-8", b"-rf", b" ", b"..x", b"\\", "ärger\u202e".encode()]


def test_odd_names(attack: Attack, isolation: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They are kept as they are, and never reach a terminal as they are."""
    lines = (
        f"import os\nfor name in {ODD!r}:\n    for folder in (b'.', b'/logs/agent', b'/logs/artifacts'):\n"
        "        open(os.path.join(folder, name), 'w').write('x')\nos.symlink(b'\\xff', b'link \\xfe')\n"
    )
    count = "python3 -c 'import os; print(len(os.listdir(\"/workspace\")))'"
    left = attack(
        f"python3 - <<'END'\n{lines}END",
        verifier=f"[ $({count}) = {len(ODD) + 1} ] && " + PASS,
    )
    assert left.rewards == {"reward": 1.0}
    assert {os.fsencode(name) for name in packed(left)} >= {b"workspace/" + name for name in ODD}
    assert set(map(os.fsencode, os.listdir(left.folder / "agent"))) >= set(ODD)
    assert grade_again(left, isolation) == 0
    assert left.reward == 1.0
    assert not raw_characters("".join(capsys.readouterr()))


DEEP = 'python3 -c \'import os\nfor _ in range({depth}):\n    os.mkdir("{name}"); os.chdir("{name}")\''


@pytest.mark.parametrize(
    ("depth", "name"), [(1500, "d"), (1300, "dddd"), (30, "d" * 250)], ids=["deep", "beyond a path", "long names"]
)
@pytest.mark.parametrize("where", ["/workspace", "/logs/agent"])
@pytest.mark.parametrize("isolation", ["bubblewrap"], indirect=True)
def test_a_tree_without_end(attack: Attack, where: str, depth: int, name: str) -> None:
    """Deeper than a program may call itself, and longer than a path may be."""
    left = attack(f"cd {where}; {DEEP.format(depth=depth, name=name)}", verifier=PASS)
    assert left.rewards == {"reward": 1.0}


@pytest.mark.parametrize(
    "place", ["/logs/agent/agent-stdout.txt", "/logs/artifacts/manifest.json", "/logs/agent/instruction.md"]
)
@pytest.mark.parametrize(
    "what", ["mkdir -p {place}/x", "ln -sfn /etc/passwd {place}", "mkfifo {place}", "chmod 000 {place}"]
)
@pytest.mark.parametrize("isolation", ["bubblewrap"], indirect=True)
def test_something_else_in_place_of_a_log(attack: Attack, place: str, what: str) -> None:
    left = attack(f"echo said; rm -rf {place}; {what.format(place=place)}; true", verifier=PASS)
    assert left.rewards == {"reward": 1.0}
    assert left.code == 0


def test_pipes_sockets_and_devices(attack: Attack) -> None:
    left = attack(
        "mkfifo pipe /logs/agent/pipe; ln -s pipe link; mknod null c 1 3 2>/dev/null;"
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"socket\")'; true",
        verifier=PASS,
    )
    assert left.rewards == {"reward": 1.0}
    assert sorted(packed(left)) == ["workspace", "workspace/link"]
    printed = ["agent-stderr.txt", "agent-stdout.txt"]
    assert sorted(os.listdir(left.folder / "agent")) == [*printed, "instruction.md", "output.txt"]


def test_programs_with_the_rights_of_their_owner(attack: Attack, isolation: str) -> None:
    left = attack("cp /bin/true suid; chmod 6777 suid /workspace; cp -p suid /logs/agent", verifier=PASS)
    assert left.rewards == {"reward": 1.0}
    assert (left.folder / "agent" / "suid").stat().st_mode & 0o7000 == 0
    assert grade_again(left, isolation) == 0


@dataclass(frozen=True)
class Canary:
    """A folder of the host with one file. Neither the agent nor what waits for it may change anything there."""

    folder: Path

    def look(self) -> list[tuple[str, int, int, int, str]]:
        found = []
        for path in (self.folder, *sorted(self.folder.iterdir())):
            status = path.stat()
            text = path.read_text() if path.is_file() else ""
            found.append((path.name, status.st_uid, status.st_gid, status.st_mode, text))
        return found


@pytest.fixture
def canary() -> Iterator[Canary]:
    """In a place that a sandbox shows under its own name, so that a link to it leads there inside and outside."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="assay-test-", dir="/opt"))
    except OSError as error:
        pytest.skip(f"a folder in /opt is needed: {error}")
    folder.chmod(0o755)
    (folder / "canary").write_text("alive\n")
    yield Canary(folder)
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "plant",
    [
        pytest.param("ln -s {host}/canary canary", id="a file"),
        pytest.param("mkdir -p deeper; rm -rf deeper; ln -s {host} deeper", id="a folder"),
        pytest.param("cd /; rm -rf {workdir}; ln -s {host} {workdir}", id="the working folder"),
        pytest.param("b=$(readlink -f {workdir}); cd /; mv $b $b.old; ln -s {host} $b", id="behind the mount"),
        pytest.param(
            "rm -f /logs/agent/instruction.md; ln -s {host}/canary /logs/agent/instruction.md", id="a log"
        ),
        pytest.param("rmdir /logs/agent /logs/artifacts; ln -s {host} /logs/agent", id="the logs"),
    ],
)
@pytest.mark.parametrize("workdir", sampled(["/workspace/inner", "/workspace"], 2))
def test_links_that_wait_for_the_next_step(
    isolation: str, tmp_path: Path, canary: Canary, plant: str, workdir: str
) -> None:
    """Assay copies a step's files as root, into a folder in which the agent has been. It must not follow it."""
    before = canary.look()
    second = StepSpec("two", workdir={"canary": "brought along\n", "deeper/canary": "brought along\n"})
    task = write_steps(tmp_path / "task", [StepSpec("one"), second], workdir=workdir)
    agent = f"({plant.format(host=canary.folder, workdir=workdir)}) 2>/dev/null; true"
    left = attempt(task, agent, tmp_path / "jobs", "--isolation", isolation)
    assert canary.look() == before
    assert left.code in (0, 1)


def test_a_steps_files_arrive(isolation: str, tmp_path: Path) -> None:
    second = StepSpec("two", workdir={"deeper/file": "brought along\n"}, verifier=f"[ -w deeper/file ] && {PASS}")
    task = write_steps(tmp_path / "task", [StepSpec("one"), second])
    left = attempt(task, "true", tmp_path / "jobs", "--isolation", isolation)
    assert left.rewards == {"reward": 1.0}
