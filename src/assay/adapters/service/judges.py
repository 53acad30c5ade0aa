"""The judge that reads an organisation's coding runs: its own, or the one that the operator set for all.

An organisation names the endpoint of its judge, so requests to it are guarded like those to other sources: never
to loopback, with no credentials but its own. The operator's is in the environment, as for the command line.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from assay.adapters.models.judge_setup import KEY, MODEL, URL, ConfiguredJudges, JudgeOptions
from assay.adapters.service.secret_box import SecretBox
from assay.adapters.sources.source_guard import GuardedClient
from assay.core.errors import InputError
from assay.engine.service.scenarios import OrganisationJudges

TOKEN: Final = "token"  # noqa: S105 - the name of a field


class ServiceJudges:
    """Finds judges. ``environment`` is that of the operator's judge; None if there is none."""

    def __init__(
        self,
        stored: OrganisationJudges,
        secrets: SecretBox,
        client: GuardedClient,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        if environment is not None and not (environment.get(URL) and environment.get(MODEL)):
            raise InputError(f"a judge for all organisations needs {URL} and {MODEL} in the environment")
        self._stored = stored
        self._secrets = secrets
        self._guarded = client
        self._environment = environment

    def has_judge(self, organisation: str) -> bool:
        return self._environment is not None or self._stored.find(organisation) is not None

    @contextmanager
    def of(self, organisation: str) -> Iterator[ConfiguredJudges | None]:
        """The judge of an organisation, for the time of the block; None if it has none."""
        found = self._stored.find(organisation)
        if found is not None:
            settings, sealed = found
            secret = {} if sealed is None else self._secrets.open(sealed, place(organisation))
            own = {KEY: secret[TOKEN]} if TOKEN in secret else {}
            options = JudgeOptions(url=settings["url"], models=tuple(settings["models"]))
            with ConfiguredJudges(options, own, self._guarded()) as judges:
                yield judges
        elif self._environment is not None:
            with ConfiguredJudges(JudgeOptions(), self._environment) as judges:
                yield judges
        else:
            yield None


def place(organisation: str) -> str:
    """The owner of a judge's secret."""
    return f"{organisation}/judge of coding runs"
