"""How long a script or a test sleeps at least, if it comes to its end."""

import math
import re
from collections.abc import Iterator

from assay.formats.shell import command_lines
from assay.formats.shell_paths import shell_tokens

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"['\"]?(\d+(?:\.\d+)?)([smhd]?)['\"]?")
_IN_PYTHON = re.compile(r"\btime\.sleep\((\d+(?:\.\d+)?)\)")
_COUNT = re.compile(r"\bseq (?:1 )?(\d+)|\{ ?1\.\.(\d+) ?\}|(?:-lt|-le|<=?) (\d+)")
_LEAVES = frozenset({"break", "exit", "return"})
_HEADS = frozenset({"for", "while", "sleep"})
_MOST_WORDS = 500
_BEGINS = frozenset({";", "\n", "&&", "do", "then", "else", "{", "("})


def shell_sleeps(script: str) -> Iterator[tuple[int, float]]:
    """The lines that sleep, each with the seconds up to there. What may be left out counts as nothing."""
    words = [(line.number, word) for line in command_lines(script) for word in shell_tokens(line.text)]
    slept, factors = 0.0, [1.0]
    for at, (number, word) in enumerate(words):
        seconds = sum(map(float, _IN_PYTHON.findall(word)))
        if at == 0 or words[at - 1][1] in _BEGINS:
            rest = [word for _, word in words[at : at + _MOST_WORDS]] if word in _HEADS else []
            if word in ("for", "while", "until", "if", "case"):
                factors.append(_times(rest) if word in ("for", "while") else 0.0)
            elif word in ("done", "fi", "esac") and len(factors) > 1:
                factors.pop()
            elif word == "sleep" and len(rest) > 1 and rest[2:3] != ["&"]:
                found = _DURATION.fullmatch(rest[1])
                seconds = (
                    float(found[1]) * _UNITS[found[2]] if found else math.inf if rest[1] == "infinity" else 0.0
                )
        if seconds and all(factors):
            slept += seconds * math.prod(factors)
            yield number, slept


def _times(loop: list[str]) -> float:
    """How often a loop runs at least; it may end early where its body can leave it."""
    body = loop[: loop.index("done")] if "done" in loop else loop
    head = body[: body.index("do")] if "do" in body else body
    found = _COUNT.search(" ".join(head))
    listed = [word for word in head[3:] if word not in (";", "\n")] if head[2:3] == ["in"] else []
    times = float(next(filter(None, found.groups()))) if found else float(len(listed) or 1)
    return 0.0 if _LEAVES & set(body) else times


def python_sleeps(source: str) -> Iterator[tuple[int, float]]:
    """The lines of a file that sleep, each with its seconds. Which of them are reached isn't known."""
    for found in _IN_PYTHON.finditer(source):
        yield source.count("\n", 0, found.start()) + 1, float(found[1])
