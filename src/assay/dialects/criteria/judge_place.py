"""The part of a playground file that names a judge."""

from pydantic import Field, field_validator

from assay.dialects.criteria.models import StrictModel
from assay.formats.endpoint_url import base_url


class JudgePlace(StrictModel):
    """A language model that is asked for paraphrases, for criteria that want them.

    ``url`` is the base of an endpoint that speaks OpenAI's chat completions, such as
    ``https://models.example/v1``, and ``model`` the name of the model there. The environment variable
    ``token_env`` holds the key. ``timeout_s`` is the time for one question, including retries. An endpoint
    that doesn't support ``response_format`` is asked without it; ``json_schema: false`` saves the first tries.
    The opinion of a judge is evidence and changes no score; a judge that is down changes none either.
    """

    url: str
    model: str = Field(min_length=1)
    token_env: str | None = Field(default=None, min_length=1)
    timeout_s: float = Field(default=30, gt=0, le=600)
    json_schema: bool = True

    @field_validator("url")
    @classmethod
    def _base(cls, written: str) -> str:
        return base_url(written, "a judge")
