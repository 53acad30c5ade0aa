"""A playground in which nothing happened, to find criteria that an idle agent would fulfil."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from assay.evidence.playground import Event, StateRow, StoredFile, Turn


class EmptyFhir:
    """A FHIR server without resources."""

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:  # noqa: ARG002
        return iter(())

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:  # noqa: ARG002
        return None


class EmptyFiles:
    """A place without files."""

    def files(self) -> Iterable[StoredFile]:
        return ()

    def chunks(self, path: str) -> Iterator[bytes]:  # noqa: ARG002
        return iter(())


class EmptyPlayground:
    """Fulfils ``PlaygroundState``. All sources exist and are empty."""

    fhir = EmptyFhir()
    files = EmptyFiles()
    run_start = datetime(1970, 1, 1, tzinfo=UTC)

    def events(self, event_type: str) -> Sequence[Event]:  # noqa: ARG002
        return ()

    def state_rows(self, resource: str) -> Sequence[StateRow]:  # noqa: ARG002
        return ()

    def turns(self) -> Sequence[Turn]:
        return ()

    def x12_responses(self) -> Sequence[Event]:
        return ()
