"""Source code as text."""

_LARGEST = 2_000_000


def source_text(data: bytes | None) -> str | None:
    """The text of a file, with line feeds; None for no file, a binary file and one too large to be code."""
    if data is None or len(data) > _LARGEST or b"\0" in data[:4096]:
        return None
    text = data.decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n") if "\r" in text else text
