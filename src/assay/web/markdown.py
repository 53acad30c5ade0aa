"""Markdown of agents and authors as HTML: as much of it as makes a text readable, and nothing that leads or loads.

Everything is escaped first. A link is shown with its address beside it and can't be followed, an image as its
words, and markup as the characters that it is. What isn't understood stays text, so that no word is lost.
"""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from markupsafe import Markup, escape

from assay.web.visible_text import lines

MOST_DEPTH: Final = 6
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*$")
_RULE = re.compile(r"\s{0,3}([-*_])(?:\s*\1){2,}\s*$")
_ITEM = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])(\s+)(?=\S)")
_CELLS = re.compile(r"(?=[^|]*\|)\s*+(?:\|\s*+)?:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*+$")
# Lengths are bounded, so that a text made to be slow isn't.
_INLINE = re.compile(
    r"(?P<tick>`{1,3})(?P<code>[^`]{1,500})(?P=tick)"
    r"|\*\*(?P<bold>[^*\s](?:[^*]{0,500}[^*\s])?)\*\*"
    r"|(?<![\w*])[*](?P<star>[^*\s](?:[^*]{0,500}[^*\s])?)[*](?![\w*])"
    r"|(?<![\w_])_(?P<under>[^_\s](?:[^_]{0,500}[^_\s])?)_(?![\w_])"
    r"|!?\[(?P<text>[^\[\]]{0,500})\]\((?P<address>[^()\s]{1,1000})\)"
)


def markdown(text: object) -> Markup:
    """The text as HTML."""
    return Markup('<div class="prose">{}</div>').format(_blocks(lines(text).split("\n")))


def _blocks(found: list[str], depth: int = 0) -> Markup:
    return Markup("\n").join(_each_block(found, depth))


def _each_block(found: list[str], depth: int) -> Iterator[Markup]:
    at = 0
    while at < len(found):
        line = found[at]
        fence = _FENCE.match(line)
        if not line.strip():
            at += 1
        elif fence is not None:
            end = next((n for n in range(at + 1, len(found)) if found[n].strip().startswith(fence[1])), len(found))
            yield Markup("<pre><code>{}</code></pre>").format("\n".join(found[at + 1 : end]))
            at = end + 1
        elif (heading := _HEADING.match(line)) is not None:
            yield Markup("<p><strong>{}</strong></p>").format(_inline(heading[1]))
            at += 1
        elif _RULE.match(line):
            yield Markup("<hr>")
            at += 1
        elif line.lstrip().startswith(">") and depth < MOST_DEPTH:
            quoted = list(takewhile(lambda one: one.lstrip().startswith(">"), found[at:]))
            inner = [one.lstrip()[1:].removeprefix(" ") for one in quoted]
            yield Markup("<blockquote>{}</blockquote>").format(_blocks(inner, depth + 1))
            at += len(quoted)
        elif _ITEM.match(line) and depth < MOST_DEPTH:
            items = list(_items(found[at:]))
            yield _list(items, depth)
            at += sum(map(len, items))
        elif "|" in line and at + 1 < len(found) and _CELLS.match(found[at + 1]):
            rows = [line, *takewhile(lambda one: "|" in one, found[at + 2 :])]
            yield _table(rows)
            at += len(rows) + 1
        else:
            said = [line, *takewhile(_goes_on, found[at + 1 :])]
            yield Markup("<p>{}</p>").format(Markup("<br>\n").join(map(_inline, said)))
            at += len(said)


def _goes_on(line: str) -> bool:
    """Whether a line belongs to the paragraph before it."""
    begins = _FENCE.match(line) or _HEADING.match(line) or _RULE.match(line) or _ITEM.match(line)
    return bool(line.strip()) and not begins and not line.lstrip().startswith(">")


def _items(found: list[str]) -> Iterator[list[str]]:
    """The entries of a list, all numbered or none, each with the lines that are further in than its mark."""
    at, first = 0, _ITEM.match(found[0])
    margin, numbered = (len(first[1]), first[2][0].isdigit()) if first else (0, False)
    while at < len(found) and (mark := _ITEM.match(found[at])) is not None:
        if len(mark[1]) > margin + 1 or mark[2][0].isdigit() is not numbered:
            return
        inner = list(takewhile(lambda one: one.startswith(" " * (margin + 2)) or not one.strip(), found[at + 1 :]))
        yield [found[at], *inner]
        at += 1 + len(inner)


def _list(items: list[list[str]], depth: int) -> Markup:
    ordered = items[0][0].lstrip()[0].isdigit()
    number = int(re.split(r"[.)]", items[0][0].lstrip(), maxsplit=1)[0]) if ordered else 1
    shown = Markup("").join(Markup("<li>{}</li>").format(_item(one, depth)) for one in items)
    return (
        Markup('<ol start="{}">{}</ol>').format(number, shown) if ordered else Markup("<ul>{}</ul>").format(shown)
    )


def _item(item: list[str], depth: int) -> Markup:
    mark = _ITEM.match(item[0])
    width = mark.end() if mark else 0
    inner = [item[0][width:], *(one[min(width, len(one) - len(one.lstrip())) :] for one in item[1:])]
    if not any(one.strip() for one in inner[1:]):
        return _inline(inner[0])
    return _blocks(inner, depth + 1)


def _table(rows: list[str]) -> Markup:
    head, *rest = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]
    body = Markup("").join(_row(one, "td") for one in rest)
    return Markup("<table><thead>{}</thead><tbody>{}</tbody></table>").format(_row(head, "th"), body)


def _row(cells: list[str], kind: str) -> Markup:
    cell = Markup("<th>{}</th>") if kind == "th" else Markup("<td>{}</td>")
    return Markup("<tr>{}</tr>").format(Markup("").join(cell.format(_inline(one)) for one in cells))


def _inline(text: str) -> Markup:
    """A line with its marks: code, bold, italic, and links with their addresses beside them."""
    parts, at = [], 0
    for mark in _INLINE.finditer(text):
        parts += [escape(text[at : mark.start()]), _marked(mark)]
        at = mark.end()
    return Markup("").join([*parts, escape(text[at:])])


def _marked(mark: re.Match[str]) -> Markup:
    if mark["code"] is not None:
        return Markup("<code>{}</code>").format(mark["code"])
    if mark["bold"] is not None:
        return Markup("<strong>{}</strong>").format(_inline(mark["bold"]))
    if mark["address"] is not None:
        return Markup("{} <code>{}</code>").format(mark["text"], mark["address"])
    return Markup("<em>{}</em>").format(mark["star"] or mark["under"])
