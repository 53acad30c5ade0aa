"""Chains of calls: ``Assert.That(x, Is.Not.Null)``, ``assertThat(x).isEqualTo(3)``, ``x.Should().Be(3)``."""

from typing import NamedTuple

from assay.detectors.test_code.curly.tokens import Tokens, arguments, closing, split, type_arguments_end, uniform

_DOTS = frozenset({".", "?."})


class Link(NamedTuple):
    """One name of a chain. ``arguments`` is None for a property or a class; ``types`` has its type arguments."""

    name: str
    arguments: list[Tokens] | None
    types: str
    parts: Tokens

    @property
    def text(self) -> str:
        return uniform(self.parts)

    def argument(self, at: int) -> Tokens:
        """One argument; no tokens where there are not so many."""
        if self.arguments is None or not -len(self.arguments) <= at < len(self.arguments):
            return []
        return self.arguments[at]

    @property
    def given(self) -> int:
        return len(self.arguments or ())


def chain(parts: Tokens) -> list[Link]:
    """The links of an expression that is a chain; an expression of another form is one link without a name."""
    return [_link(piece) for piece in split(_loose(parts), _DOTS) if piece]


def _loose(parts: Tokens) -> Tokens:
    """Without what stands around a chain and says nothing of what it calls."""
    while parts and parts[0] in ("await", "return", "!"):
        parts = parts[1:]
    return parts


def _link(parts: Tokens) -> Link:
    unnamed = Link("", None, "", parts)
    at, types = 0, ""
    if parts[0] == "<":
        end = type_arguments_end(parts, 0)
        at = 0 if end is None else end + 1
    if not _is_name(parts[at : at + 1]):
        return unnamed
    name, at = parts[at], at + 1
    if parts[at : at + 1] == ["<"]:
        end = type_arguments_end(parts, at)
        if end is None:
            return unnamed
        types, at = uniform(parts[at + 1 : end]), end + 1
    if at == len(parts):
        return Link(name, None, types, parts)
    if parts[at] != "(" or closing(parts, at) != len(parts) - 1:
        return unnamed._replace(types=types)
    return Link(name, arguments(parts[at + 1 : -1]), types, parts)


def _is_name(parts: Tokens) -> bool:
    return bool(parts) and (parts[0][0].isalpha() or parts[0][0] in "_@")
