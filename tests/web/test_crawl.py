"""No link is dead: whatever a page leads to is there, in the service, in ``assay view`` and in the one file."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx

from assay.engine.service.keys import Scope
from assay.web.local_server import LocalServer
from assay.web.one_file import one_file
from tests.web.examples import COMPARISON, GUESSES, SORTING, TAMPERED, viewed_at
from tests.web.people import Desk

LIKE = 3
"""How many addresses that differ only in names and values are asked for."""


class Links(HTMLParser):
    """The addresses that a page leads to or loads, and the places in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            if name in ("href", "src", "hx-get") and value is not None:
                self.addresses.add(value)


def shape(address: str) -> tuple[str, ...]:
    """An address without the names and values that are in it."""
    parts = urlsplit(address)
    path = [
        one if index < 1 or one in ("audit", "headline") else "*"
        for index, one in enumerate(parts.path.split("/")[2:])
    ]
    return (
        *path,
        *sorted({*re.findall(r"(?:^|&)([^=&]*)", parts.query)} - {"sort", "cursor", "list", "order", "start"}),
    )


def crawled(base: str, get: Callable[[str], httpx.Response]) -> Iterator[str]:
    """Everything that is wrong with pages and their links, from the first page on."""
    waiting, known, like = [base], {base: ""}, Counter[tuple[str, ...]]()
    while waiting:
        address = waiting.pop(0)
        answer = get(address)
        if answer.status_code != 200:
            yield f"{known[address]} leads to {address}: {answer.status_code}"
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        links = Links(answer.text)
        for found in sorted(links.addresses):
            whole = urljoin(address, found)
            onward, _, place = whole.partition("#")
            if onward == address and place and place not in links.places:
                yield f"{address} leads to #{place}, which isn't there"
            if urlsplit(onward)[:2] != urlsplit(base)[:2]:
                yield f"{address} leads elsewhere: {onward}"
            elif onward not in known and like[shape(onward)] < LIKE:
                like[shape(onward)] += 1
                known[onward] = address
                waiting.append(onward)
    assert len(known) > 60


def test_no_link_of_the_service_is_dead(full: Desk) -> None:
    person = full.client(Scope.ADMIN)
    person.client.follow_redirects = True
    assert list(crawled(f"{full.url}/ui/", person.client.get)) == []


def test_no_link_of_a_viewed_folder_is_dead(viewed: LocalServer) -> None:
    with httpx.Client(timeout=30, follow_redirects=True) as client:
        assert list(crawled(viewed.address, client.get)) == []


def test_no_link_of_the_one_file_is_dead(kept: Path) -> None:
    links = Links(
        one_file(viewed_at(SORTING, GUESSES, TAMPERED, COMPARISON / "monday", COMPARISON / "tuesday", kept))
    )
    assert {one for one in links.addresses if not one.startswith("#")} == set()
    assert {one[1:] for one in links.addresses} - links.places == set()
