"""The sources that a tenant gave a playground: a FHIR server, a place for files, a judge.

Only what the tenant gave is used, never the credentials in the environment of the service.
"""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from assay.adapters.service.secret_box import SecretBox
from assay.adapters.sources.bearer_tokens import Token, fixed_token
from assay.adapters.sources.files.folder import missing
from assay.adapters.sources.source_guard import GuardedClient, SourcePolicy
from assay.adapters.store.records import EVER
from assay.adapters.store.service.playground_records import FilesAt
from assay.adapters.store.store import Store
from assay.core.errors import InputError, MeasurementError
from assay.dialects.criteria.resources import Written
from assay.engine.criteria.watched_sources import Playground
from assay.engine.service.playgrounds import Playgrounds
from assay.evidence.playground import FhirSource, FileSource, StoredFile
from assay.evidence.verdict import Judge

FHIR, FILES, JUDGE = "fhir", "files", "judge"
TOKEN: Final = "token"  # noqa: S105 - the name of a field
BUCKETS: Final = ("gs", "s3")
PORTS: Final = {"sftp": 22, "http": 80}
# Requests of a completion must end before its caller gives up.
DEADLINE_SEC: Final = 20.0
TIMEOUT_SEC: Final = 8.0


@dataclass(frozen=True, slots=True)
class OpenSources:
    """Sources beside the records, for criteria. None: not configured."""

    fhir: FhirSource | None
    files: FileSource | None
    judge: Judge | None


@dataclass(frozen=True, slots=True)
class FilesUntil:
    """Fulfils ``FileSource`` without files that are newer, at a place that tells their times by its own clock."""

    source: FileSource
    until: datetime

    def files(self) -> Iterator[StoredFile]:
        return (one for one in self.source.files() if one.modified <= self.until)

    def chunks(self, path: str) -> Iterator[bytes]:
        return self.source.chunks(path)


class StoredFiles(FilesAt):
    """Implements ``FileSource`` with the files that were put into a playground, as of a moment."""

    def chunks(self, path: str) -> Iterator[bytes]:
        content = self.content(path)
        if content is None:
            raise missing(path)
        yield content


class SourceOpener:
    """Opens the sources of a playground."""

    def __init__(
        self,
        store: Store,
        playgrounds: Playgrounds,
        secrets: SecretBox,
        policy: SourcePolicy,
        client: GuardedClient,
    ) -> None:
        self._store = store
        self._playgrounds = playgrounds
        self._secrets = secrets
        self._policy = policy
        self._guarded = client

    def open(self, stack: ExitStack, playground: Playground, until: datetime = EVER) -> OpenSources:
        """Open until the stack is closed. Files that were sent to the playground are those of a moment."""
        found = self._playgrounds.sources_of(playground.id)
        opened = {
            kind: (settings, {} if sealed is None else self._secrets.open(sealed, place(playground.id, kind)))
            for kind, (settings, sealed) in found.items()
        }
        return OpenSources(
            self._fhir(stack, playground, opened.get(FHIR)),
            self._files(stack, playground, opened.get(FILES), until),
            self._judge(stack, opened.get(JUDGE)),
        )

    def _fhir(
        self, stack: ExitStack, playground: Playground, found: tuple[Written, dict[str, str]] | None
    ) -> FhirSource | None:
        url = playground.fhir_base if found is None else found[0]["url"]
        if url is None:
            return None
        from assay.adapters.sources.fhir import FhirServer  # noqa: PLC0415 - only who has a server needs it
        from assay.adapters.sources.json_requests import RequestLimits  # noqa: PLC0415

        token = None if found is None else found[1].get(TOKEN)
        limits = RequestLimits(deadline_sec=DEADLINE_SEC, timeout_sec=TIMEOUT_SEC)
        return stack.enter_context(FhirServer(url, _token(token), limits, client=self._guarded()))

    def _files(
        self,
        stack: ExitStack,
        playground: Playground,
        found: tuple[Written, dict[str, str]] | None,
        until: datetime,
    ) -> FileSource:
        url = playground.file_source if found is None else found[0]["url"]
        if url is None:
            return StoredFiles(self._store, playground.id, until)
        from assay.adapters.sources.files.file_source import file_source  # noqa: PLC0415 - only who has files needs it

        if found is not None:
            check_files_url(url, found[1], self._policy)
        source = file_source(url, os.environ if found is None else found[1])
        stack.callback(source.close)
        return FilesUntil(source, until) if urlsplit(url).scheme in BUCKETS else source

    def _judge(self, stack: ExitStack, found: tuple[Written, dict[str, str]] | None) -> Judge | None:
        if found is None:
            return None
        from assay.adapters.models.judge_model import ChatModel, limits_of  # noqa: PLC0415 - only who has a judge
        from assay.adapters.models.judge_setup import new_mark, prompt_file  # noqa: PLC0415
        from assay.judge.model import GivingUp  # noqa: PLC0415
        from assay.judge.paraphrase import ParaphraseJudge  # noqa: PLC0415

        settings, secret = found
        model = ChatModel(
            settings["url"],
            settings["model"],
            _token(secret.get(TOKEN)),
            limits_of(settings.get("timeout_s", DEADLINE_SEC)),
            json_schema=settings.get("json_schema", True),
            client=self._guarded(),
        )
        return ParaphraseJudge(GivingUp(stack.enter_context(model), time.monotonic), prompt_file, new_mark)


def _token(written: str | None) -> Token | None:
    return None if written is None else fixed_token(written)


def place(playground: str, kind: str) -> str:
    """The owner of a secret."""
    return f"{playground}/{kind}"


def check_host(url: str, policy: SourcePolicy) -> None:
    """Raises ``MeasurementError`` for a host that sources must not have."""
    parts = urlsplit(url)
    if not parts.hostname:
        raise MeasurementError("the URL of a source has no host")
    policy.checked(parts.hostname, parts.port or PORTS.get(parts.scheme, 443))


def check_files_url(url: str, credentials: dict[str, str], policy: SourcePolicy) -> None:
    """Raises for a place of files that a tenant must not name: the disk of the service, or its own accounts."""
    scheme = urlsplit(url).scheme
    if scheme not in ("sftp", *BUCKETS) and not (scheme == "file" and policy.local_files):
        raise InputError("files must be at an sftp://, gs:// or s3:// URL, or be sent to the playground")
    if scheme == "gs" and "ASSAY_GCS_TOKEN" not in credentials and "STORAGE_EMULATOR_HOST" not in credentials:
        raise InputError("files at a gs:// URL must have the credential ASSAY_GCS_TOKEN")
    for name in ("ASSAY_SFTP_KEY", "ASSAY_SFTP_KNOWN_HOSTS"):
        if name in credentials:
            raise InputError(f"{name} names a file of the service; use ASSAY_SFTP_PASSWORD")
    if scheme == "sftp":
        check_host(url, policy)
    for name in ("STORAGE_EMULATOR_HOST", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"):
        endpoint = credentials.get(name)
        if endpoint:
            check_host(endpoint if "://" in endpoint else f"http://{endpoint}", policy)
