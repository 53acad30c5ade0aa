"""A playground file: where criteria find what a run left behind.

``store`` is a SQLite file or a PostgreSQL URL. The default is the environment variable ``ASSAY_STORE``, or else
``assay.db`` beside the playground file. ``id`` is the id of the playground in that store. ``run_start`` is a time
with a time zone. ``data`` holds the values that criteria can refer to; they take precedence over the ``data`` of
the criteria file. Paths are relative to the folder of the playground file.

The file never contains a password, key or token, only the names of the environment variables that hold them.
"""

from difflib import get_close_matches
from pathlib import PurePath
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import AwareDatetime, Field, field_validator, model_validator

from assay.formats.endpoint_url import base_url
from assay.formats.strict_model import StrictModel

SETTINGS: Final = {
    "sftp": (
        "ASSAY_SFTP_PASSWORD",
        "ASSAY_SFTP_KEY",
        "ASSAY_SFTP_KEY_PASSPHRASE",
        "ASSAY_SFTP_KNOWN_HOSTS",
        "ASSAY_SFTP_CHECK_HOST_KEY",
    ),
    "gs": ("ASSAY_GCS_TOKEN", "STORAGE_EMULATOR_HOST"),
    "s3": (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_ENDPOINT_URL_S3",
        "AWS_ENDPOINT_URL",
    ),
}
"""The environment variables that a place for files reads, by the scheme of its URL."""


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


class FhirPlace(StrictModel):
    """A server by its ``url``, or a ``folder`` of resources as JSON.

    Requests to a server carry the bearer token in the environment variable ``token_env``, or Google's application
    credentials (``google: true``).
    """

    url: str | None = Field(default=None, min_length=1)
    folder: str | None = Field(default=None, min_length=1)
    token_env: str | None = Field(default=None, min_length=1)
    google: bool = False

    @model_validator(mode="after")
    def _one_of_them(self) -> "FhirPlace":
        if (self.url is None) == (self.folder is None):
            raise ValueError("give either url or folder")
        if self.url is None and (self.token_env is not None or self.google):
            raise ValueError("a folder can't have token_env or google")
        if self.token_env is not None and self.google:
            raise ValueError("give token_env or google, not both")
        return self


class FilesPlace(StrictModel):
    """An SFTP server or a bucket by its ``url``, or a local ``folder``.

    ``credentials`` maps a setting, such as ``ASSAY_SFTP_PASSWORD``, to the environment variable that holds it for
    this playground.
    """

    url: str | None = Field(default=None, min_length=1)
    folder: str | None = Field(default=None, min_length=1)
    credentials: dict[str, Annotated[str, Field(min_length=1)]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_of_them(self) -> "FilesPlace":
        if (self.url is None) == (self.folder is None):
            raise ValueError("give either url or folder")
        if self.url is None and self.credentials:
            raise ValueError("a folder can't have credentials")
        for name in self.credentials:
            _check_setting(name, str(self.url).partition("://")[0])
        return self

    @property
    def location(self) -> str:
        """The URL; for a folder, which must be absolute, one that begins with ``file:``."""
        return self.url if self.folder is None and self.url else PurePath(str(self.folder)).as_uri()


def _check_setting(name: str, scheme: str) -> None:
    """A mistyped setting would leave the requests without credentials."""
    known = SETTINGS.get(scheme, ())
    if name not in known:
        near = get_close_matches(name, known, n=1)
        meant = f"; {near[0]!r} may be meant" if near else ""
        raise ValueError(
            f"unknown setting {name!r} for {scheme}{meant}; the settings are {', '.join(known) or 'none'}"
        )


class PlaygroundFile(StrictModel):
    """One playground. Sources that are left out are taken from the store, if it has them."""

    id: str = Field(min_length=1)
    store: str | None = Field(default=None, min_length=1)
    store_env: str | None = Field(default=None, min_length=1)
    run_start: AwareDatetime | None = None
    data: dict[str, Any] = Field(default_factory=dict)
    fhir: FhirPlace | None = None
    files: FilesPlace | None = None
    judge: JudgePlace | None = None

    @field_validator("store")
    @classmethod
    def _without_password(cls, written: str | None) -> str | None:
        if written is not None and "://" in written and urlsplit(written).password is not None:
            raise ValueError(
                "store must not contain a password; name an environment variable with the URL in store_env"
            )
        return written

    @model_validator(mode="after")
    def _one_store(self) -> "PlaygroundFile":
        if self.store is not None and self.store_env is not None:
            raise ValueError("give store or store_env, not both")
        return self
