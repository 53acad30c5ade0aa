"""A FHIR server, by its base URL: searches with all their pages, reads by id, histories, and its ``$validate``.

It changes nothing. The server is asked to refuse unknown search parameters rather than to ignore them
(``handling=strict``), and no link of an answer leads away from the base URL.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from assay.adapters.sources.bearer_tokens import Token
from assay.adapters.sources.json_requests import (
    JsonAnswer,
    JsonRequests,
    LargeAnswerError,
    Pace,
    RequestLimits,
    httpx_module,
)
from assay.core.errors import InputError, MeasurementError
from assay.evidence.bounds import strange_resource
from assay.formats.fhir import answers
from assay.formats.fhir.answers import ignored_parameters, reported_error
from assay.formats.fhir.past import PastFhir, is_simple, recheck
from assay.formats.fhir.search import PER_PAGE, each_once, matches, next_link, objects_in, pages, query, texts_of
from assay.formats.fhirpath.parse import ID

if TYPE_CHECKING:
    import httpx

MAX_PAGES: Final = 500
# After a page that is too large, smaller ones are asked for.
SMALLER: Final = 5
# Servers tell whole seconds of their clock, and answers take a while: less than this says nothing.
AGREEING: Final = (timedelta(seconds=-3), timedelta(seconds=2))
_TYPE: Final = re.compile(r"[A-Za-z]{1,64}")
_HEADERS: Final = {"Accept": "application/fhir+json", "Prefer": "handling=strict", "Cache-Control": "no-cache"}


class FhirServer:
    """May be asked from several threads. To be closed, or used in a ``with``."""

    def __init__(
        self,
        base_url: str,
        token: Token | None = None,
        limits: RequestLimits | None = None,
        pace: Pace | None = None,
        max_pages: int = MAX_PAGES,
        client: "httpx.Client | None" = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """A ``client`` that is given is not closed here."""
        self._base = _base(base_url)
        self._token = token
        self._max_pages = max_pages
        self._confirmed = False
        self._now = now
        self._ahead = timedelta()
        self._given = client
        self._client = client or httpx_module().Client(follow_redirects=False)
        self._requests = JsonRequests(self._client, limits or RequestLimits(), pace or Pace())

    def __enter__(self) -> "FhirServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        if self._given is None:
            self._client.close()

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        """A resource; None if there is none with that id, or if it was deleted."""
        name = f"{_check_address_part(_TYPE, resource_type)}/{_check_address_part(ID, identity)}"
        what = self._what(f"reading {name}")
        answer = self._get(httpx_module().URL(f"{self._base}/{name}"), what)
        if answer.status == answers.MISSING and not answers.is_outcome(answer.body):
            self._confirm(what)
        if answer.status in (answers.MISSING, answers.GONE):
            return None
        return answers.resource_in(answer.status, answer.body, resource_type, what, [identity, *self._secrets()])

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:
        """The matches, page by page; each once, and without what the search only included.

        A page that is too large is asked for again in smaller ones. Parameters that the server ignored are checked
        on what it found; one that can't be checked raises ``MeasurementError``.
        """
        names = "&".join(f"{name}=…" for name in parameters)
        asked = f"the search {_check_address_part(_TYPE, resource_type)}?{names}"
        search = _Search(resource_type, parameters, self._what(asked))
        fits = recheck(resource_type, parameters)
        # One that is too large or too deep is in doubt, whatever it has.
        kept = (one for one in self._search_pages(search) if strange_resource(one) is not None or fits(one))
        return each_once(kept)

    def problems(self, resource: Mapping[str, object], profile: str) -> list[str]:
        """The server's ``$validate`` errors for a resource and a profile."""
        kind = _check_address_part(_TYPE, str(resource.get("resourceType")))
        what = self._what(f"{kind}/$validate")
        url = httpx_module().URL(f"{self._base}/{kind}/$validate", params={"profile": profile})
        headers = {**self._headers(), "Content-Type": "application/fhir+json"}
        answer = self._requests.get(url, headers, what, json.dumps(resource).encode())
        if not answers.is_outcome(answer.body):
            said = f"the server answers {answer.status} without an OperationOutcome"
            raise MeasurementError(f"{what}: {said}, so it may not support $validate")
        return [answers.redacted(one, self._secrets()) for one in answers.errors_in(answer.body)]

    @property
    def ahead(self) -> timedelta:
        """By how much the server's clock is ahead of ours, by its last answer."""
        return self._ahead

    def past(self, at: datetime) -> PastFhir:
        """The server as it was."""
        return PastFhir(self, at)

    def history(
        self, resource_type: str, identity: str | None = None, since: datetime | None = None
    ) -> list[dict[str, Any]] | None:
        """The entries of a history: of one resource, or of a type. None if the server has none."""
        place = _check_address_part(_TYPE, resource_type) + (
            "" if identity is None else f"/{_check_address_part(ID, identity)}"
        )
        what = self._what(f"the history of {place}")
        when = {} if since is None else {"_since": since.astimezone(UTC).isoformat(timespec="milliseconds")}
        first = httpx_module().URL(f"{self._base}/{place}/_history", params={**when, "_count": str(PER_PAGE)})
        answer = self._get(first, what)
        if not 200 <= answer.status < 300 and answer.status != answers.UNAUTHORIZED:
            return None

        def page_at(page: "httpx.URL") -> dict[str, Any]:
            found = answer if page == first else self._get(page, what)
            return answers.resource_in(found.status, found.body, "Bundle", what, self._secrets())

        found = pages(first, page_at, lambda page, content: self._next(page, content, what), what, self._max_pages)
        return [entry for page in found for entry in objects_in(page.get("entry"))]

    def _search_pages(self, search: "_Search") -> Iterator[dict[str, Any]]:
        count = search.count
        while True:
            try:
                for page in self._pages(search, count):
                    yield from matches(page, search.resource_type)
            except LargeAnswerError:
                if count <= 1:
                    raise
                count = max(1, count // SMALLER)
            else:
                return

    def _pages(self, search: "_Search", count: int) -> Iterator[dict[str, Any]]:
        sent = query({**search.parameters, "_count": count})
        first = httpx_module().URL(f"{self._base}/{search.resource_type}", params=sent)
        return pages(
            first,
            lambda page: self._page(page, search, is_first=page == first),
            lambda page, content: self._next(page, content, search.what),
            search.what,
            self._max_pages,
        )

    def _confirm(self, what: str) -> None:
        """Any web server answers 404 at a wrong URL. Only a FHIR server means that the resource is missing."""
        if not self._confirmed:
            answer = self._get(httpx_module().URL(f"{self._base}/metadata"), what)
            if not answers.is_capability(answer.status, answer.body):
                raise MeasurementError(
                    f"{what}: the server answers 404, and has no FHIR metadata at this base URL"
                )
            self._confirmed = True

    def _page(self, page: "httpx.URL", search: "_Search", *, is_first: bool) -> dict[str, Any]:
        """A page. Only the first one says by its own address what the search was."""
        answer = self._get(page, search.what)
        hidden = [*search.values, *self._secrets()]
        content = answers.resource_in(answer.status, answer.body, "Bundle", search.what, hidden)
        wrong = reported_error(content)
        if wrong is not None:
            said = answers.redacted(wrong, hidden)
            raise MeasurementError(f"{search.what}: the server reports an error with its answer: {said}")
        for name in ignored_parameters(content, search.resource_type, list(search.parameters)) if is_first else ():
            if not is_simple(search.resource_type, name, search.parameters[name]):
                raise MeasurementError(f"{search.what}: the server ignored the search parameter {name!r}")
        return content

    def _next(self, page: "httpx.URL", content: dict[str, Any], what: str) -> "httpx.URL | None":
        """The next page, which must be below the base URL: the token will be sent there."""
        written = next_link(content)
        if written is None:
            return None
        try:
            following = self._secure(page.join(written))
        except httpx_module().InvalidURL as error:
            raise MeasurementError(f"{what}: the link to the next page is not a URL") from error
        if not _within(httpx_module().URL(self._base), following):
            away = f"leads away from the base URL, to {_origin(following)}"
            raise MeasurementError(f"{what}: the link to the next page {away}")
        return following

    def _secure(self, url: "httpx.URL") -> "httpx.URL":
        """A server behind one that encrypts often does not know that, and writes http in its links."""
        base = httpx_module().URL(self._base)
        plain = (url.scheme, url.port, url.host) == ("http", None, base.host)
        return url.copy_with(scheme=base.scheme, port=base.port) if plain and base.scheme == "https" else url

    def _get(self, url: "httpx.URL", what: str) -> JsonAnswer:
        answer = self._requests.get(url, self._headers(), what)
        if answer.date is not None:
            ahead = answer.date - self._now()
            self._ahead = timedelta() if AGREEING[0] < ahead < AGREEING[1] else ahead
        return answer

    def _headers(self) -> dict[str, str]:
        return _HEADERS | ({} if self._token is None else {"Authorization": f"Bearer {self._token()}"})

    def _secrets(self) -> list[str]:
        return [] if self._token is None else [self._token()]

    def _what(self, question: str) -> str:
        """How messages name a question: without the values that it is asked with."""
        return f"the FHIR server at {self._base}, {question}"


@dataclass(frozen=True, slots=True)
class _Search:
    """A search, and how messages name it."""

    resource_type: str
    parameters: Mapping[str, object]
    what: str

    @property
    def count(self) -> int:
        """How many resources a page should have at first."""
        written = "".join(texts_of(self.parameters.get("_count", PER_PAGE)))
        return (int(written) if written.isdecimal() and len(written) < 6 else 0) or PER_PAGE

    @property
    def values(self) -> list[str]:
        return [text for value in self.parameters.values() for text in texts_of(value)]


def _origin(url: "httpx.URL") -> str:
    """The server of a link, or the folder of the same server: what else is in it may be private."""
    host = f"{url.host}:{url.port}" if url.port is not None else url.host
    return f"{url.scheme}://{host}{'/'.join(url.path.split('/')[:2])}"


def _base(written: str) -> str:
    """The base URL without its last slash. Raises ``InputError`` for anything else."""
    httpx = httpx_module()
    wanted = "the URL of a FHIR server must be like https://fhir.example/r4, without ?, # or a password"
    try:
        url = httpx.URL(written.strip())
    except httpx.InvalidURL as error:
        raise InputError(wanted) from error
    if url.scheme not in ("http", "https") or not url.host or url.query or url.fragment or url.userinfo:
        raise InputError(wanted)
    return str(url).rstrip("/")


def _within(base: "httpx.URL", url: "httpx.URL") -> bool:
    """Whether an address is below another one. Dots that are written in another way would be steps up later."""
    same = (url.scheme, url.host, url.port, url.userinfo) == (base.scheme, base.host, base.port, b"")
    path = url.raw_path.partition(b"?")[0].lower()
    below = (url.path.rstrip("/") + "/").startswith(base.path.rstrip("/") + "/")
    return same and below and not any(hidden in path for hidden in (b"%2e", b"%2f", b"%5c", b"/.."))


def _check_address_part(pattern: re.Pattern[str], written: str) -> str:
    if not pattern.fullmatch(written):
        raise ValueError(f"{written!r} can't be part of the address of a resource")
    return written
