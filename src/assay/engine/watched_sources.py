"""Sources that note when somebody waits for them: each passes on what the real one answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.engine.waits import Waits
from assay.evidence.paraphrase import Answer, Judge, Question
from assay.evidence.playground import FhirSource, FileSource, StoredFile, validated


@dataclass(frozen=True, slots=True)
class WatchedFhir:
    """Fulfils ``FhirSource``."""

    source: FhirSource
    name: str
    waits: Waits

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:
        return self.waits.each(self.name, lambda: self.source.search(resource_type, parameters))

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        with self.waits.of(self.name):
            return self.source.read(resource_type, identity)

    def problems(self, resource: Mapping[str, object], profile: str) -> Sequence[str]:
        with self.waits.of(self.name):
            return validated(self.source, resource, profile)


@dataclass(frozen=True, slots=True)
class WatchedFiles:
    """Fulfils ``FileSource``."""

    source: FileSource
    name: str
    waits: Waits

    def files(self) -> Iterator[StoredFile]:
        return self.waits.each(self.name, self.source.files)

    def chunks(self, path: str) -> Iterator[bytes]:
        return self.waits.each(self.name, lambda: self.source.chunks(path))


@dataclass(frozen=True, slots=True)
class WatchedJudge:
    """Fulfils ``Judge``."""

    source: Judge
    name: str
    waits: Waits

    def opinion(self, question: Question) -> Answer:
        with self.waits.of(self.name):
            return self.source.opinion(question)
