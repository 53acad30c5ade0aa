"""The part of a playground file that names a judge."""

from typing import Final
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from assay.dialects.criteria.models import StrictModel

_WANTED: Final = "the URL of a judge must be like https://models.example/v1, without ?, # or a password"


class JudgePlace(StrictModel):
    """A language model that is asked for paraphrases, for criteria that want them.

    ``url`` is the base of an endpoint that speaks OpenAI's chat completions, such as
    ``https://models.example/v1``, and ``model`` the name of the model there. The environment variable
    ``token_env`` holds the key. ``timeout_s`` is the time for one question, including retries. ``json_schema:
    false`` is for endpoints that don't support ``response_format``. The opinion of a judge is evidence and
    changes no score; a judge that is down changes none either.
    """

    url: str
    model: str = Field(min_length=1)
    token_env: str | None = Field(default=None, min_length=1)
    timeout_s: float = Field(default=30, gt=0, le=600)
    json_schema: bool = True

    @field_validator("url")
    @classmethod
    def _base(cls, written: str) -> str:
        try:
            parts = urlsplit(written)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
            usable = usable and written.isprintable() and " " not in written
        except ValueError as error:
            raise ValueError(_WANTED) from error
        if not usable or parts.username is not None or "?" in written or "#" in written:
            raise ValueError(_WANTED)
        return written.rstrip("/")
