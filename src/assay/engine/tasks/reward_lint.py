"""Check that a verifier's script writes a reward on every path."""

import itertools
import re
from collections.abc import Callable, Iterator

from assay.engine.tasks.rules.facts import TaskFacts
from assay.engine.tasks.task_reading import LintFinding
from assay.formats.shell import command_lines
from assay.formats.shell_paths import missed_paths

_FILE = r"reward\.(?:json|txt)"
_HELPERS = r"assay reward|write_artifacts|write_reward|\brewardkit\s+[/.$\"'~]"
_MENTIONS = re.compile(f"{_FILE}|{_HELPERS}")
# Commands that write a file in a shell, or in code that the shell passes to an interpreter.
_WRITES = re.compile(
    rf"{_HELPERS}|\b(?:tee|cp|mv|install|ln)\b[^|;]{{0,400}}?{_FILE}"
    rf"|(?:>\|?|of=|--output|-o)\s{{0,100}}+\S{{0,400}}?{_FILE}"
    rf"|(?:open|write_text|Path|writeFile\w{{0,40}})\([^)]{{0,400}}?{_FILE}"
)
_CODE_THAT_WRITES = re.compile(r"\b(?:write\w*|dump)\(")
# A program that gets the file's name is taken to write it, unless it only reads, prints or removes it.
_LOOKS = frozenset(
    {"cat", "rm", "ls", "test", "[", "[[", "grep", "head", "tail", "stat", "wc", "chmod", "chown", "touch", "echo"}
    | {"printf", "jq", "diff", "cmp", "file", "exit", "return"}
)
_ENDS_AT_FAILURE = re.compile(r"^set +(?:-[a-zA-Z]+ +)*(?:-[a-z]*e|-o +errexit\b)")
_ASSIGNMENT = re.compile(
    r"""^[^\S\n]*+(?:(?:export|readonly)\s++)?(?P<name>\w++)=(?:(?P<quote>['"])(?P<quoted>[^'"`\n]*+)(?P=quote)"""
    r"""|(?P<plain>[^\s'"`(;&|]*+))[^\S\n]*+$""",
    re.MULTILINE,
)
_MOST_VARIABLES = 200
_REWARD_PATH = re.compile(_FILE)
# A script begins in the image's working folder, and has no arguments.
_AT_ROOT = re.compile(r"""\[\[?\s+(['"]?)(?:\$PWD|\$\{PWD(?::?-)?\}|\$\(pwd\))\1\s+==?\s+(['"]?)/\2\s+\]\]?""")
_HAS_ARGUMENTS = re.compile(r"""\[\[?\s+(['"]?)\$#\1\s+(?:-gt\s+\d+|-(?:ge|eq)\s+[1-9]|-ne\s+0)\s+\]\]?""")
_CLOSES = re.compile(r"\b(?:fi|esac|done)\b")


def reward_findings(facts: TaskFacts) -> Iterator[LintFinding]:
    """A missing reward: no file writes one, or some paths through test.sh don't."""
    files = facts.files
    mentions = [name for name, text in files.tests.items() if _MENTIONS.search(text)]
    if not mentions:
        yield LintFinding("no-reward", "tests", "no file in tests writes a reward to /logs/verifier")
        return
    script = _HAS_ARGUMENTS.sub("false", reward_script(files.script))
    if facts.image.workdir != "/":
        script = _AT_ROOT.sub("false", script)
    others = [name for name in mentions if name != "test.sh"]
    writes = _writer(others)
    unclear = others and not any(writes(line.text) or writes(line.code) for line in command_lines(script))
    if not script or unclear:
        return  # Not a shell script, or another file writes the reward and it isn't clear when that file runs.
    for line in command_lines(script):
        words = line.text.split()
        if words[0] == "trap" and len(words) > 2 and words[-1] in ("EXIT", "0"):
            body = f"\n{script}".partition("\n" + words[1].strip("'\"") + "()")[2].partition("\n}")[0]
            if any(map(writes, body.split("\n"))):
                return  # Whatever it takes there is decided by somebody who thought of it.
    without = missed_paths(script, writes)
    if without.at_end:
        yield LintFinding("reward-not-always", "tests/test.sh", "some paths through the script write no reward")
    if without.at_failure:
        why = "with set -e, a failed check ends the script without a reward"
        ends = (line.number for line in command_lines(script) if _ENDS_AT_FAILURE.match(line.text))
        yield LintFinding("set-e", f"tests/test.sh:{next(ends, 1)}", why)


def writes_reward(text: str) -> bool:
    """Whether a command writes a reward itself."""
    return _writer([])(text)


def _writer(others: list[str]) -> Callable[[str], bool]:
    """Whether a command writes a reward itself, or runs another file that does."""
    names = {path.rpartition("/")[2] for path in others}
    names |= {name.removesuffix(".py") for name in names if name.endswith(".py")}  # As `python3 -m` has it.

    def writes(text: str) -> bool:
        return (
            _WRITES.search(text) is not None
            or (_MENTIONS.search(text) is not None and _CODE_THAT_WRITES.search(text) is not None)
            or _is_given(text.split())
            or any(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) for name in names)
        )

    return writes


def _is_given(words: list[str]) -> bool:
    """Whether a program gets the file's name as an argument, and does more than look at it."""
    while words and re.match(r"\w+=", words[0]):
        words = words[1:]
    given = any(word.strip("'\"").endswith(("reward.json", "reward.txt")) for word in words[1:])
    return given and words[0].rpartition("/")[2] not in _LOOKS


def reward_script(script: str) -> str:
    """The script with the value in place of each variable that has only one, wherever the script goes."""
    for found in itertools.islice(_ASSIGNMENT.finditer(script), _MOST_VARIABLES):
        name, value = found["name"], found["quoted"] or found["plain"] or ""
        others = re.findall(rf"\b(?:read|for|local)\b[^\n;]{{0,80}}\b{name}\b|\b{name}(?:\+?=|\+\+|--)", script)
        before = script[: found.start()]
        opened = len(re.findall(r"\b(?:if|case|for|while|until)\b", before)) - len(_CLOSES.findall(before))
        known = (opened <= 0 and "$" not in value) or _REWARD_PATH.search(value)
        if len(others) == 1 and known:
            script = re.sub(rf"\$(?:{name}\b|\{{{name}\}})", value.replace("\\", r"\\"), script)
    return script
