"""Scripts for shells: they complete commands, and the options of the command that was typed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from assay.cli.main import COMMANDS
from tests.cli.running import Cli

ASK = """
complete() { :; }
{script}
COMP_WORDS=({words}) COMP_CWORD={last}
_assay
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("assay po", ["power"]),
        ("assay ver", ["verify", "version"]),
        ("assay report --js", ["--json"]),
        ("assay judge --calibr", ["--calibration"]),
        ("assay examples --", ["--help"]),
        ("assay report jobs", [""]),
        ("assay nonsense --js", [""]),
    ],
)
def test_bash_completes(cli: Cli, words: str, completed: list[str]) -> None:
    script = cli("completion", "bash").out
    asked = ASK.replace("{{", "{").replace("}}", "}").replace("{script}", script)
    asked = asked.replace("{words}", words).replace("{last}", str(len(words.split()) - 1))
    done = subprocess.run(["/bin/bash", "-c", asked], capture_output=True, text=True, check=True)
    assert (sorted(done.stdout.splitlines()), done.stderr) == (completed, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_is_completed_and_the_shell_can_read_it(cli: Cli, shell: str) -> None:
    found = cli("completion", shell)
    assert (found.code, found.err) == (0, "")
    assert [name for name in COMMANDS if f" {name}" not in found.out] == []
    assert "--judge-model" in found.out or "-l judge-model" in found.out
    program = shutil.which(shell)
    if program is not None:
        assert subprocess.run([program, "-n"], input=found.out, text=True, check=False).returncode == 0


# Stands for zsh's own function, which only its editor can call: prints the words that it would offer.
ZSH_ASK = """
compdef() { :; }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@"; }
source {script}
words=({words}) CURRENT=${#words}
_assay
"""


@pytest.mark.parametrize("shell", ["zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "offered"),
    [("assay po", "power"), ("assay report --js", "--json"), ("assay judge --calibr", "--calibration")],
)
def test_other_shells_complete(cli: Cli, tmp_path: Path, shell: str, line: str, offered: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} isn't installed")
    script = tmp_path / "script"
    script.write_text(cli("completion", shell).out)
    code = f"source {script}; complete -C '{line}'"
    if shell == "zsh":
        code = ZSH_ASK.replace("{script}", str(script)).replace("{words}", line)
    done = subprocess.run([program, "-c", code], capture_output=True, text=True, check=True)
    assert offered in [text.split("\t")[0] for text in done.stdout.splitlines()]
