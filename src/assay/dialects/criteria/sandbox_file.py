"""A sandbox file: where criteria find what a run left behind.

``store`` is a SQLite file or a PostgreSQL URL; without it, the environment variable ``ASSAY_STORE`` names it, or
it is ``assay.db`` beside the sandbox file. ``id`` is the sandbox's in that store. ``run_start`` is a moment with
its zone, and ``data`` has the values that criteria may refer to; they win over those of the criteria. Paths begin
at the folder of the sandbox file.

No password, key or token stands in the file: it has the names of the environment variables that do.
"""

from typing import Any
from urllib.parse import urlsplit

from pydantic import AwareDatetime, Field, field_validator, model_validator

from assay.dialects.criteria.models import StrictModel


class FhirPlace(StrictModel):
    """A server by its ``url``, or a ``folder`` of resources as JSON.

    A server is asked with the bearer token in the variable ``token_env``, or with Google's application
    credentials.
    """

    url: str | None = Field(default=None, min_length=1)
    folder: str | None = Field(default=None, min_length=1)
    token_env: str | None = Field(default=None, min_length=1)
    google: bool = False

    @model_validator(mode="after")
    def _one_of_them(self) -> "FhirPlace":
        if (self.url is None) == (self.folder is None):
            raise ValueError("give a url or a folder")
        if self.url is None and (self.token_env is not None or self.google):
            raise ValueError("a folder needs no token")
        if self.token_env is not None and self.google:
            raise ValueError("give token_env or google, not both")
        return self


class FilesPlace(StrictModel):
    """An SFTP server or a bucket by its ``url``, or a local ``folder``.

    ``credentials`` says by a setting's usual variable, such as ``ASSAY_SFTP_PASSWORD``, which other variable has
    it for this sandbox.
    """

    url: str | None = Field(default=None, min_length=1)
    folder: str | None = Field(default=None, min_length=1)
    credentials: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_of_them(self) -> "FilesPlace":
        if (self.url is None) == (self.folder is None):
            raise ValueError("give a url or a folder")
        if self.url is None and self.credentials:
            raise ValueError("a folder needs no credentials")
        return self


class SandboxFile(StrictModel):
    """One sandbox. Sources that are left out are those that the store knows of, if any."""

    id: str = Field(min_length=1)
    store: str | None = Field(default=None, min_length=1)
    store_env: str | None = Field(default=None, min_length=1)
    run_start: AwareDatetime | None = None
    data: dict[str, Any] = Field(default_factory=dict)
    fhir: FhirPlace | None = None
    files: FilesPlace | None = None

    @field_validator("store")
    @classmethod
    def _without_password(cls, written: str | None) -> str | None:
        if written is not None and "://" in written and urlsplit(written).password is not None:
            raise ValueError("a password does not belong here: name a variable that has the URL with store_env")
        return written

    @model_validator(mode="after")
    def _one_store(self) -> "SandboxFile":
        if self.store is not None and self.store_env is not None:
            raise ValueError("give store or store_env, not both")
        return self
