"""The check digits of GitHub's and npm's tokens: the CRC-32 of the random part, as six digits to the base 62.

A right one proves a token. A wrong one proves nothing, since an agent may invent tokens.
"""

import zlib

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def checksum(random_part: str) -> str:
    """The six characters that end a token with this random part."""
    rest, found = zlib.crc32(random_part.encode()), ""
    while rest:
        rest, digit = divmod(rest, 62)
        found = _DIGITS[digit] + found
    return found.rjust(6, "0")


def has_checksum(token: str) -> bool:
    """Whether a token such as ``ghp_…`` ends with the right check digits."""
    body = token.partition("_")[2]
    return len(body) == 36 and body.isascii() and checksum(body[:30]) == body[30:]
