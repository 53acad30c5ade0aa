"""The meaning of names in a Python file, by whatever way: imports, bindings, ``getattr``, ``__import__``."""

import ast
import re
from collections.abc import Callable

from assay.detectors.test_code.engine.expressions.calls import Names
from assay.detectors.test_code.engine.expressions.chains import Link, chain
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.marks import Mark
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.skipping import mark_skips
from assay.detectors.test_code.languages.python.tree import PythonTree
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

_MOST_STEPS, _NEAR = 8, 12
_LONGEST = 240
_WAYS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r'""\.join\(\[((?:"\w*"(?:, )?)*)\]\)'), lambda found: "".join(found[1].split('", "'))),
    (re.compile(r'"(\w+)" ?\[ ?:: ?- ?1 ?\]'), lambda found: f'"{found[1][::-1]}"'),
    (re.compile(r'(?:builtins\.)?getattr\(([\w.]+), "(\w+)"(?:, [^()]*)?\)'), r"\1.\2"),
    (re.compile(r"(?:builtins\.)?getattr\(([\w.]+), [^()]*(?:\([^()]*\)[^()]*)*\)"), r"\1.unknown"),
    (re.compile(r'([\w.]+)\.__getattr(?:ibute)?__\((?:[\w.]+, )?"(\w+)"\)'), r"\1.\2"),
    (re.compile(r'vars\(([\w.]+)\)\["(\w+)"\]'), r"\1.\2"),
    (re.compile(r'([\w.]+)\.__dict__\["(\w+)"\]'), r"\1.\2"),
    (re.compile(r'sys\.modules\["([\w.]+)"\]'), r"\1"),
    (re.compile(r'(?:builtins\.)?(?:__import__|(?:importlib\.)?import_module)\("([\w.]+)"\)'), r"\1"),
    (re.compile(r"(?:functools\.)?partial\(([\w.]+)(?:, )?"), r"\1("),
    (re.compile(r"([\w.]+)\.with_args\("), r"\1("),
    (re.compile(r'(?:\w+\.)*MarkDecorator\((?:\w+\.)*Mark\("(\w+)"'), r'pytest.mark.\1("'),
    (re.compile(r'(?:\w+\.)*Mark(?:Decorator)?\("(\w+)"(?:, )?'), r"pytest.mark.\1("),
)
"""Ways to write a name, each with the plain one."""
_MAKING = word_set(
    "getattr __getattr__ __getattribute__ vars __dict__ __import__ import_module modules partial with_args Mark "
    "MarkDecorator"
)
_STANDS_FOR = re.compile(r"[^\W\d][\w.]*(?:[\[(].*[\])][\w.]*)?\Z", re.DOTALL)
_DISABLING = word_set("disabled disable ignore ignored quarantine quarantined broken")


def aliases(reading: Reading) -> dict[str, str]:
    """The aliases of imported names."""
    found: dict[str, str] = {}
    for node in reading.tree.imports if isinstance(reading.tree, PythonTree) else ():
        module = f"{node.module or ''}." if isinstance(node, ast.ImportFrom) else ""
        for each in node.names:
            plain = each.name if module or each.asname else each.name.split(".")[0]
            found[each.asname or plain] = f"{module}{plain}".lstrip(".")
    return found


def resolve(reading: Reading) -> Callable[[Names], Names]:
    """Names with what they were imported as."""
    known = aliases(reading)
    reading.notes["aliases"] = known

    def resolved(names: Names) -> Names:
        return (*known[names[0]].split("."), *names[1:]) if names and names[0] in known else names

    return resolved


def meant(reading: Reading, words: list[str], used: Node) -> list[str]:
    """An expression with the plain names of what it stands for."""
    known: dict[str, str] = reading.notes["aliases"]  # type: ignore[assignment]
    for _ in range(_MOST_STEPS):
        if not words:
            break
        first = words[0]
        if known.get(first, first) != first:
            words = [*reading.words_in(known[first]), *words[1:]]
            continue
        value = reading.following.value(first, used)
        if value is not None and value.words[:1] != [first] and _STANDS_FOR.match(joined(value.words)):
            words = [*value.words, *words[1:]]
            continue
        if _MAKING.isdisjoint(words[:_NEAR]):
            break
        text = joined(words)
        plain = next((way.sub(told, text, count=1) for way, told in _WAYS if way.search(text)), text)
        if plain == text:
            break
        words = reading.words_in(plain)
    return words


def is_made_up(names: Names) -> bool:
    """Whether a call by these names gives something that another name stands for."""
    return bool(names) and names[-1] in _MAKING


def mark_of(reading: Reading, words: list[str], line: int, used: Node) -> Mark:
    """A decorator or an element of ``pytestmark`` by its words."""
    found = chain(meant(reading, words, used))
    link = found[0] if found else Link(())
    return Mark(link.name, link, f"@{joined(words)[:_LONGEST]}", line)


def marks(reading: Reading, node: Node) -> list[Mark]:
    """The decorators of a function or a class."""
    tree = reading.tree
    made = tree.made.get(node) if isinstance(tree, PythonTree) else None
    if not isinstance(tree, PythonTree) or tree.reach is None or not getattr(made, "decorator_list", ()):
        return []
    reaches = [tree.reach(each) for each in made.decorator_list]  # type: ignore[union-attr]
    return [mark_of(reading, reading.words(*reach), tree.line(reach[0]), tree.nodes[0]) for reach in reaches]


def skips_of(reading: Reading, found: list[Mark]) -> list[Skip]:
    """The skips among marks: of pytest and unittest, and what a project's own module calls by a telling name."""
    skipping = reading.language.skipping
    # ``pytest.skip`` itself is for calls.
    skips = mark_skips(reading, [mark for mark in found if mark.link.names[-2:-1] != ("pytest",)])
    for mark in found:
        owner, word = mark.link.names[-2:-1], mark.name.lower()
        if not owner or mark.name in skipping.marks or mark.name in skipping.asked or owner == ("pytest",):
            continue
        own = word.startswith(("skip", "xfail")) or "expected_failure" in word
        if word in _DISABLING and owner == ("mark",):
            skips.append(Skip("disabled", mark.line, mark.text, conditional=True))
        elif owner == ("mark",) and word == "unknown":
            skips.append(Skip("skip", mark.line, mark.text, conditional=True))
        elif owner != ("mark",) and (own or word in _DISABLING):
            skips.append(Skip("xfail" if "fail" in word else "skip", mark.line, mark.text, conditional=True))
    return skips
