"""How much of a run a judge reads. Whatever is cut is counted, and the prompt says so."""

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class PromptBounds:
    """The most characters of each part."""

    task: int = 20_000
    turns: int = 20_000
    trajectory: int = 120_000
    response: int = 20_000
    diff: int = 120_000
    test: int = 8_000
    scorers: int = 30_000
    notes: int = 20_000
    output: int = 16_000
    remarks: int = 4_000

    @property
    def total(self) -> int:
        return sum(int(getattr(self, one.name)) for one in fields(self))


def bounds_within(characters: int) -> PromptBounds:
    """Bounds for a prompt whose data has at most so many characters, in the proportions of the usual ones."""
    usual = PromptBounds()
    if characters >= usual.total:
        return usual
    shares = {one.name: getattr(usual, one.name) * characters // usual.total for one in fields(usual)}
    return replace(usual, **shares)


@dataclass(frozen=True, slots=True)
class Shown:
    """A text, or its two ends with the number of lines and bytes in between."""

    head: str
    tail: str = ""
    lines: int = 0
    bytes: int = 0

    def record(self, key: str = "text") -> dict[str, object]:
        """The fields of a record. A cut is a field of its own: no text can pretend to be one."""
        if not self.bytes:
            return {key: self.head}
        cut = {"lines": self.lines, "bytes": self.bytes}
        return {key: self.head, "cut_here": cut, f"{key}_after_the_cut": self.tail}


def cut_middle(text: str, limit: int) -> Shown:
    """A text of at most ``limit`` characters: its beginning and its end, cut between lines where there are any."""
    if len(text) <= limit:
        return Shown(text)
    begin = limit // 2
    end = len(text) - (limit - begin)
    after_line = text.rfind("\n", begin // 2, begin) + 1
    begin = after_line or begin
    line_begin = text.find("\n", end, end + (len(text) - end) // 2) + 1
    end = line_begin or end
    middle = text[begin:end]
    size = len(middle.encode(errors="surrogatepass"))
    return Shown(text[:begin], text[end:], middle.count("\n") or 1, size)


def cut_front(text: str, limit: int) -> Shown:
    """The last ``limit`` characters of a text."""
    if len(text) <= limit:
        return Shown(text)
    gone = text[: len(text) - limit]
    return Shown("", text[len(text) - limit :], gone.count("\n") or 1, len(gone.encode(errors="surrogatepass")))
