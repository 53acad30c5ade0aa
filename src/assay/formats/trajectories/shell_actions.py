"""A shell script's simple commands, and the files that they read and write, as far as their words tell.

Nothing is expanded: neither variables nor substitutions. A ``cd`` holds for the rest of the script.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from assay.formats.downloads import LOOPBACK, goes_out
from assay.formats.shell import command_lines

_TOKEN: Final = re.compile(
    r"""(?P<op>&&|\|\|?|&?>>?[|&]?|<<<|<<-?|<[>&]?|[;&()\n])
      | (?P<word>(?:[^\s;|&()<>'"\\]|\\.|'[^']*'?|"(?:[^"\\]|\\.)*"?)+)""",
    re.VERBOSE | re.DOTALL,
)
_QUOTED: Final = re.compile(r"""'([^']*)'?|"((?:[^"\\]|\\.)*)"?|\\(.)""", re.DOTALL)
_PIECE: Final = re.compile(r"[^\s'\"`(),;=<>{}$|&\[\]\\]+")
_PREFIXES: Final = {
    *("sudo", "env", "time", "nohup", "exec", "command", "xargs", "timeout", "then", "do", "else", "if", "while"),
    *("until", "!", "nice", "stdbuf", "builtin"),
}
_ONLY_NAMES: Final = {
    *("echo", "printf", "ls", "test", "[", "[[", "pwd", "mkdir", "which", "stat", "export", "type", "basename"),
    *("dirname", "realpath", "for", "tree", "du", "cd"),
}
_ONLY_WRITE: Final = {"rm", "touch", "tee", "truncate", "shred", "unlink", "rmdir", "chmod", "chown"}
_WRITE_LAST: Final = {"cp", "ln", "install", "rsync", "scp"}
_READ_BELOW: Final = {"rg", "ag", "ack", "tar", "zip", "cp", "rsync", "scp", "diff"}
_GIT_WRITES: Final = {"git checkout", "git restore", "git rm", "git mv", "git apply"}
_GIT_READS: Final = {"git diff", "git show", "git blame", "git grep", "git log"}
_SHELL: Final = re.compile(r"(?:ba|da|z|k)?sh")
_INTERPRETER: Final = re.compile(r"(?:i?python|node|ruby|perl|deno|bun|php)[\d.]*")
_EDITS_IN_PLACE: Final = re.compile(r"-(?:-in-place|[a-zA-Z]{0,4}i)")
_CODE_WRITES: Final = re.compile(r"write|['\"][wax]b?\+?['\"]|remove|unlink|rename|rmtree|copy")
_CODE_GOES_OUT: Final = re.compile(
    r"\b(?:requests|httpx)\.(?:get|post|put|head|request)\b|urlopen\(|urlretrieve\(|\baiohttp\.|\baxios\b"
    r"|\bfetch\(\s*['\"`]https?|\.connect\(|create_connection\(|HTTPS?Connection\("
)
_RECURSIVE: Final = re.compile(r"--recursive|-[a-zA-Z]*[rR][a-zA-Z]*")
_WILDCARD: Final = re.compile(r"[*?]")
_LONGEST_PATH: Final = 1000
_DEEPEST: Final = 3


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that a call names. ``below`` says that the files of a folder are read, too."""

    path: str
    written: bool = False
    below: bool = False

    def matches(self, pattern: str) -> bool:
        """Whether a pattern means this file. One that doesn't begin with ``/`` means files in any folder."""
        absolute = pattern.startswith("/")
        path = self.path if absolute else "/" + self.path.lstrip("/")
        if fnmatchcase(path, pattern if absolute else f"*/{pattern}"):
            return True
        own, wanted = self.path.strip("/").split("/"), pattern.strip("/").split("/")
        if absolute and not self.path.startswith("/"):
            return False
        if _WILDCARD.search(self.path):  # The shell chooses: so it is a file of both patterns, if there is one.
            own = own if absolute else own[-len(wanted) :]
            return len(own) == len(wanted) and all(map(fnmatchcase, wanted, own))
        ends = [own] if absolute else [own[-size:] for size in range(1, len(wanted))]
        return self.below and any(len(end) < len(wanted) and wanted[: len(end)] == end for end in ends)


@dataclass(frozen=True, slots=True)
class ShellActions:
    """The simple commands of a script, its files, and the first command that goes to the network."""

    commands: tuple[str, ...] = ()
    files: tuple[NamedFile, ...] = ()
    goes_out: str | None = None


def shell_actions(script: str, folder: str = "", depth: int = 0) -> ShellActions:
    """The actions of a script. ``folder`` is where it begins, as far as that is known."""
    commands: list[str] = []
    files: list[NamedFile] = []
    out: str | None = None
    for line in command_lines(script):
        for words, moved in _simple_commands(line.text):
            told = " ".join(words)
            commands.append(told)
            files += (NamedFile(_joined(folder, path), written) for path, written in moved)
            if words and words[0] == "cd":
                folder = _joined(folder, words[1] if len(words) > 1 else "~")
            inner = _script_of(words)
            if inner is not None and depth < _DEEPEST:
                below = shell_actions(inner, folder, depth + 1)
                commands += below.commands
                files += below.files
                out = out or below.goes_out
            elif words:
                files += _files_of(words, folder)
                out = out or (told if goes_out(told) or _code_goes_out(words) else None)
        if line.code:
            within = code_actions(line.code, folder)
            files += within.files
            out = out or within.goes_out
    return ShellActions(tuple(commands), tuple(files), out)


def code_actions(code: str, folder: str = "") -> ShellActions:
    """The files that a program's text names, all of them as read, and whether it goes to the network."""
    writes = _CODE_WRITES.search(code) is not None
    paths = [_joined(folder, piece) for piece in _pieces(code) if "/" in piece or "." in piece]
    files = [NamedFile(path) for path in paths] + [NamedFile(path, True) for path in paths if writes]
    found = _CODE_GOES_OUT.search(code)
    return ShellActions((), tuple(files), None if found is None or LOOPBACK.search(code) else code[:200])


def _simple_commands(line: str) -> Iterator[tuple[list[str], list[tuple[str, bool]]]]:
    """Words without quotes, and the files of redirections, each with whether it is written."""
    words: list[str] = []
    moved: list[tuple[str, bool]] = []
    pending = ""
    for token in _TOKEN.finditer(line):
        word = token["word"]
        if word is None:
            op = token["op"]
            pending = op if op[0] in "<>" or op[-1] == ">" or op.startswith("&>") else ""
            if not pending and (words or moved):
                yield _without_prefix(words), moved
                words, moved = [], []
            continue
        plain = _QUOTED.sub(r"\1\2\3", word)
        if not pending:
            words.append(plain)
        elif not pending.startswith("<<") and not (pending.endswith("&") and plain.isdigit()):
            moved.append((plain, ">" in pending))
        pending = ""
    if words or moved:
        yield _without_prefix(words), moved


def _without_prefix(words: list[str]) -> list[str]:
    """A command without what stands before its name."""
    at = 0
    prefixed = False
    while at < len(words):
        word = words[at]
        skipped = word in _PREFIXES or re.match(r"\w+=", word) or (prefixed and re.match(r"-|\d", word))
        if not skipped:
            break
        prefixed = prefixed or word in _PREFIXES
        at += 1
    return words[at:]


def _script_of(words: list[str]) -> str | None:
    """The script that a shell is given as an argument."""
    if not words or not _SHELL.fullmatch(posixpath.basename(words[0])):
        return None
    options = [at for at, word in enumerate(words[:-1]) if re.fullmatch(r"-[abd-z]*c[a-z]*", word)]
    return words[options[0] + 1] if options else None


def _files_of(words: list[str], folder: str) -> Iterator[NamedFile]:
    name, rest = posixpath.basename(words[0]), words[1:]
    if name == "git":
        name, rest = _git_command(rest)
    if not _opens_files(name, rest):
        return
    only_writes = name in _ONLY_WRITE or name in _GIT_WRITES
    in_place = name in ("sed", "perl") and any(map(_EDITS_IN_PLACE.match, rest))
    writes = only_writes or name == "mv" or in_place
    below = name in (*_READ_BELOW, "find") or (name == "grep" and any(map(_RECURSIVE.fullmatch, rest)))
    is_code = _is_code(name, rest)
    for number, word in enumerate(rest, start=1):
        target = (name in _WRITE_LAST and number == len(rest)) or (name == "dd" and word.startswith("of="))
        for piece in dict.fromkeys((word, *_pieces(word))):
            if piece.startswith("-") or len(piece) > _LONGEST_PATH:
                continue
            path = _joined(folder, piece)
            if not (only_writes or target):
                yield NamedFile(path, below=below)
            if writes or target or (is_code and _CODE_WRITES.search(word)):
                yield NamedFile(path, True)


def _git_command(rest: list[str]) -> tuple[str, list[str]]:
    while rest and rest[0].startswith("-"):
        rest = rest[2 if rest[0] in ("-C", "-c") else 1 :]
    return f"git {rest[0]}" if rest else "git ", rest[1:]


def _opens_files(name: str, rest: list[str]) -> bool:
    """Whether a command reads or writes the files that it names, rather than their names only."""
    if name == "find":
        return "-exec" in rest or "-delete" in rest
    return name not in _ONLY_NAMES and (not name.startswith("git ") or name in _GIT_WRITES | _GIT_READS)


def _is_code(name: str, rest: list[str]) -> bool:
    """Whether a command is given a program as an argument."""
    given = any(word in ("-c", "-e", "-p", "--eval", "eval") for word in rest)
    return given and _INTERPRETER.fullmatch(name) is not None


def _code_goes_out(words: list[str]) -> bool:
    is_code = _is_code(posixpath.basename(words[0]), words[1:])
    return is_code and any(code_actions(word).goes_out for word in words[1:])


def _pieces(word: str) -> list[str]:
    """The parts of a word that may be paths; it may be a piece of a program."""
    return [piece.rstrip(":.") or piece for piece in _PIECE.findall(word)]


def _joined(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path)) if path else path
