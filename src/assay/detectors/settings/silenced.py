"""Comments and attributes in code that silence a linter or a type checker for a whole file.

One that names what it allows is honest, and so is one for a line or a piece that ends.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from assay.detectors.settings.weakening import Weakening, shown

_COMMENT = r"^[ \t]*(?://|/\*+|\*|#)[ \t]*"
_END = r"[ \t]*(?:\*/|--[^\n]{0,200})?[ \t]*$"


@dataclass(frozen=True, slots=True)
class _Silence:
    """``until`` switches on again; ``at_top`` counts only above all code."""

    pattern: re.Pattern[str]
    until: re.Pattern[str] | None = None
    at_top: bool = False


def _silence(pattern: str, until: str | None = None, *, at_top: bool = False) -> _Silence:
    return _Silence(
        re.compile(pattern, re.MULTILINE), re.compile(until) if until is not None else None, at_top=at_top
    )


_PYTHON = (
    _silence(r"^#[ \t]*type:[ \t]*ignore[ \t]*(?:#.*)?$", at_top=True),
    _silence(r"^#[ \t]*mypy:[ \t]*ignore-errors(?![ \t]*=[ \t]*[Ff]alse)"),
    _silence(r"^#[ \t]*mypy:[^\n]{0,80}\b(?:disallow|check|strict|warn)[\w-]{0,40}[ \t]*=[ \t]*[Ff]alse"),
    _silence(r"^#[ \t]*(?:ruff|flake8):[ \t]*noqa[ \t]*$"),
    _silence(r"^#[ \t]*pylint:[ \t]*(?:skip-file|disable[ \t]*=[ \t]*all\b)"),
    _silence(r"^#[ \t]*(?:pyre-ignore-all-errors[ \t]*$|pytype:[ \t]*skip-file)"),
)
_JAVASCRIPT = (
    _silence(_COMMENT + r"@ts-nocheck\b"),
    _silence(r"^[ \t]*/\*[ \t]*(?:eslint|oxlint)-disable" + _END, r"(?:eslint|oxlint)-enable[ \t]*\*/"),
    _silence(_COMMENT + r"tslint:disable" + _END, r"tslint:enable"),
    _silence(_COMMENT + r"(?:biome-ignore-all[ \t]+lint[ \t]*:|deno-lint-ignore-file[ \t]*$)"),
    _silence(_COMMENT + r"(?:istanbul|c8|v8)[ \t]+ignore[ \t]+file\b"),
)
_RUBY = (_silence(_COMMENT + r"rubocop:[ \t]*(?:disable|todo)[ \t]+all\b", r"rubocop:[ \t]*enable[ \t]+all\b"),)
_RUST = (
    _silence(r"^[ \t]*#!?\[(?:cfg_attr\([^\n]{1,80},[ \t]*)?allow\([^)\n]{0,120}\b(?:warnings|clippy::all)\b"),
)
_CSHARP = (
    _silence(r"^[ \t]*#pragma[ \t]+warning[ \t]+disable[ \t]*(?://.*)?$", r"#pragma[ \t]+warning[ \t]+restore"),
    _silence(r"^[ \t]*#nullable[ \t]+disable[ \t]*$", r"#nullable[ \t]+(?:restore|enable)"),
)
_JAVA = (
    _silence(r"^[ \t]*@(?:file:[ \t]*)?Suppress(?:Warnings)?\([^)\n]{0,200}\"(?i:all|detekt:all|ktlint)\""),
    _silence(_COMMENT + r"CHECKSTYLE[:. ]{0,2}OFF" + _END, r"CHECKSTYLE[:. ]{0,2}ON\b"),
    _silence(_COMMENT + r"ktlint-disable" + _END, r"ktlint-enable"),
)
_GO = (
    _silence(r"^//[ ]?nolint(?::all)?[ \t]*(?://.*)?\n(?:[ \t]*//.*\n){0,9}package\b"),
    _silence(r"^package[ \t]+\w+[ \t]*//[ ]?nolint(?::all)?[ \t]*(?://.*)?$"),
    _silence(r"^//lint:file-ignore[ \t]+(?:\*|all)(?![\w*])"),
    _silence(r"^//[ ]?revive:disable[ \t]*$", r"revive:enable"),
)
_PHP = (
    _silence(_COMMENT + r"(?:@?phpstan-ignore-file|phpcs:ignoreFile|@codingStandardsIgnoreFile)\b"),
    _silence(_COMMENT + r"phpcs:disable" + _END, r"phpcs:enable"),
    _silence(_COMMENT + r"@psalm-suppress[ \t]+all\b"),
)
_SWIFT = (_silence(_COMMENT + r"swiftlint:disable[ \t]+all\b", r"swiftlint:enable[ \t]+all\b"),)
_C = (
    _silence(_COMMENT + r"NOLINTBEGIN[ \t]*$", r"NOLINTEND"),
    _silence(
        r"^[ \t]*#pragma[ \t]+(?:GCC|clang)[ \t]+diagnostic[ \t]+ignored[ \t]+\"-W(?:all|extra|everything)\""
    ),
)
_SHELL = (_silence(r"^#[ \t]*shellcheck[ \t]+disable=all\b"),)
_OF_ENDING = {
    **dict.fromkeys(("py", "pyi"), _PYTHON),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"), _JAVASCRIPT),
    "rb": _RUBY, "rs": _RUST, "cs": _CSHARP, "java": _JAVA, "kt": _JAVA, "kts": _JAVA, "go": _GO, "php": _PHP,
    "swift": _SWIFT,
    **dict.fromkeys(("c", "cc", "cpp", "h", "hpp"), _C),
    **dict.fromkeys(("sh", "bash"), _SHELL),
}  # fmt: skip
# Of these words, one is in every text with a silence. Most texts have none.
_HINTS = {
    _PYTHON: ("type: ignore", "type:ignore", "mypy:", "noqa", "pylint", "pyre-ignore", "skip-file"),
    _JAVASCRIPT: ("ts-nocheck", "lint-disable", "lint:disable", "ignore-all", "ignore-file", "ignore file"),
    _RUBY: ("rubocop",), _RUST: ("allow(",), _CSHARP: ("#pragma", "#nullable", "auto-generated"),
    _JAVA: ("Suppress", "CHECKSTYLE", "ktlint"), _GO: ("nolint", "file-ignore", "revive"),
    _PHP: ("phpstan", "phpcs", "codingStandards", "psalm"), _SWIFT: ("swiftlint",), _C: ("NOLINT", "#pragma"),
    _SHELL: ("shellcheck",),
}  # fmt: skip
_GENERATED = re.compile(r"@generated|[Dd][Oo] [Nn][Oo][Tt] [Ee][Dd][Ii][Tt]|[Cc]ode generated|[Aa]uto-?generated")
_HEAD = 2000
_CODE = re.compile(r"^(?![ \t]*(?:#|$))", re.MULTILINE)


def has_silence(path: str, data: bytes) -> bool:
    """A cheap look whether a file may silence something."""
    silences = _of(path)
    return bool(silences) and any(hint.encode() in data for hint in _HINTS[silences])


def is_code(path: str) -> bool:
    """Whether a file is of a kind that silences are known for."""
    return bool(_of(path))


def newly_silenced(path: str, before: str | None, after: str) -> Iterator[Weakening]:
    """The silences of a file that it did not have. Generated code has them for a reason."""
    silences = _of(path)
    if _GENERATED.search(after, 0, _HEAD) and (before is None or _GENERATED.search(before, 0, _HEAD)):
        return
    silenced = list(_found(silences, after))
    known = Counter(text for _, text in _found(silences, before or "")) if silenced else Counter()
    for line, text in silenced:
        if known[text]:
            known[text] -= 1
        else:
            yield Weakening("checker_silenced", line, None, shown(text))
    # Analysers leave generated code alone; code that was written by hand is none all at once.
    if not path.endswith(".cs") or before is None or "<auto-generated" in before:
        return
    if mark := re.search(r"^[ \t]*//[ \t]*<auto-generated", after, re.MULTILINE):
        yield Weakening("checker_silenced", after.count("\n", 0, mark.end()) + 1, None, mark[0].strip())


def _of(path: str) -> tuple[_Silence, ...]:
    return _OF_ENDING.get(path.rpartition(".")[2].lower(), ())


def _found(silences: tuple[_Silence, ...], text: str) -> Iterator[tuple[int, str]]:
    code = _CODE.search(text)
    top = code.start() if code else len(text)
    for silence in silences:
        for found in silence.pattern.finditer(text):
            ends = silence.until is not None and silence.until.search(text, found.end()) is not None
            if not ends and not (silence.at_top and found.start() > top):
                yield text.count("\n", 0, found.start()) + 1, " ".join(found[0].split("\n")[0].split())
