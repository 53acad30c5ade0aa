"""The text of an assertion: the same for all ways to lay it out, and without what it only says when it fails."""

from assay.detectors.test_code.engine.expressions.brackets import last_opening
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.literals import is_text
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.rules import Check, Kind, Rule

_MESSAGES = frozenset(("msg", "message", "err_msg", "reason", "verbose"))


def without_message(words: list[str], link: Link, rule: Rule | Check) -> str:
    """The assertion without its message."""
    if not isinstance(rule, Rule):
        return _without_messages(words, link)
    if rule.kind in (Kind.REACHED, Kind.EXACT, Kind.SHAPE, Kind.NO_SHAPE) or link.given <= rule.needs:
        return joined(words)
    kept = [
        each
        for at, each in enumerate(link.arguments or ())
        if at < rule.needs or (len(each) > 1 and each[1] in (":", "="))
    ]
    return f"{joined(words[: last_opening(words)])}({', '.join(joined(each) for each in kept)})"


def _without_messages(words: list[str], link: Link) -> str:
    """An assertion without what it only says when it fails, as far as a label or its place tells that."""
    given = link.arguments or []
    kept = [each for each in given if not (len(each) > 2 and each[1] == "=" and each[0] in _MESSAGES)]
    if len(kept) == 3 and len(kept[2]) == 1 and is_text(kept[2][0]):
        kept = kept[:2]
    if len(kept) == len(given):
        return joined(words)
    return f"{joined(words[: last_opening(words)])}({', '.join(joined(each) for each in kept)})"
