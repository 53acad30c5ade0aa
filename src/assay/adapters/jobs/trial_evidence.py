"""Files in a run's folder beside its result, for the explorer: bounded, and no link is followed."""

import itertools
import json
import os
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import msgspec

from assay.adapters.jobs.agent_record import session_file
from assay.adapters.jobs.job_folder import JUDGEMENTS, SCORES
from assay.adapters.jobs.run_places import PLACES, kept_output
from assay.adapters.jobs.run_store import LocalCases
from assay.adapters.machine.numbered_files import file_name, numbers_in, read_numbered
from assay.adapters.machine.record_files import parse_record
from assay.adapters.machine.safe_read import open_below
from assay.adapters.sources.files.folder import LocalFolder
from assay.core.errors import InputError
from assay.dialects.scorers.report import JudgeVerdict, ScorersReport
from assay.dialects.scorers.scored_run import Scoring
from assay.engine.explorer.blobs import (
    DIFF,
    FINAL_RESPONSE,
    INSTRUCTION,
    OUTPUT_KINDS,
    REPORT,
    TRAJECTORY,
    BlobStore,
    KeptFile,
)
from assay.engine.explorer.imported_runs import Evidence, FindEvidence
from assay.engine.jobs.trial_additions import gates_of
from assay.evidence.bounds import json_text
from assay.evidence.run import Gates
from assay.formats.trajectories.atif import MAX_FILES

# Larger files stay where they are.
MOST_BYTES: Final = 512 * 2**20
TEXT_BYTES: Final = 128 * 1024
BEGINNING: Final = 4096
_FOLDERS: Final[tuple[str, ...]] = ("agent", "verifier")
_LOOKED_INTO: Final = frozenset((*_FOLDERS, "steps", SCORES, JUDGEMENTS))
_SEARCHED: Final = (TRAJECTORY, FINAL_RESPONSE, *OUTPUT_KINDS)
_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")


class FolderEvidence:
    """Fulfils ``EvidenceSource`` for folders of jobs. ``blobs`` keeps the files."""

    def __init__(self, folders: Sequence[str], blobs: BlobStore) -> None:
        self._folders = folders
        self._blobs = blobs

    @contextmanager
    def batch(self) -> Iterator[FindEvidence]:
        with self._blobs.batch() as kept:
            yield lambda name: self._find(name, kept)

    def _find(self, name: str, kept: BlobStore) -> Evidence:
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            return Evidence()
        for one in self._folders:
            inside = _names(f"{one}/{name}")
            if inside:
                return evidence_in(f"{one}/{name}", inside, kept)
        return Evidence()


def evidence_in(place: str, inside: frozenset[str], blobs: BlobStore) -> Evidence:
    """The evidence in the folder of a run, in which there are files and folders of these names."""
    if inside.isdisjoint(_LOOKED_INTO):
        return Evidence()
    found = dict(_files(place, inside)) | (_of_scoring(place) if SCORES in inside else {})
    source = LocalFolder(place)
    try:
        files = [KeptFile(name, blobs.put(source.chunks(path))) for name, path in found.items()]
        return Evidence(files, _text(source, found))
    except OSError as error:
        raise InputError(f"{place} was changed while it was read: {error}") from error


def kept_evidence(place: str, report: ScorersReport, blobs: BlobStore) -> tuple[Gates, Evidence]:
    """The gates and the evidence in a folder that 'assay score --keep' wrote. Raises ``InputError``."""
    run = LocalCases().read(place).run
    said = "" if run.trajectory is None else json.dumps(json_text(msgspec.to_builtins(run.trajectory)))
    written = {
        TRAJECTORY: said,
        FINAL_RESPONSE: run.final_response or "",
        INSTRUCTION: run.instruction,
        DIFF: "" if run.diff is None else run.diff.text,
        REPORT: report.model_dump_json(),
        **{kind: kept_output(run, kind) for kind in OUTPUT_KINDS},
    }
    files = [KeptFile(name, blobs.put([text.encode(errors="replace")])) for name, text in written.items() if text]
    found = read_judgement(place)
    gates = gates_of(report) if found is None else with_verdict(gates_of(report), found)
    return gates, Evidence(files, f"{_ESCAPE.sub(' ', said)}\n{run.final_response or ''}")


def _files(place: str, inside: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Names of files, and where they are below the place."""
    steps = sorted(_names(f"{place}/steps")) if "steps" in inside else []
    for prefix, below in [("", ""), *((f"{step}/", f"steps/{step}/") for step in steps)]:
        there = inside if not prefix else _names(f"{place}/{below}")
        listed = {one: _names(f"{place}/{below}{one}") if one in there else frozenset() for one in _FOLDERS}
        for name, (folder, names) in PLACES.items():
            first = next((one for one in names if one in listed[folder]), None)
            if first is None and name == TRAJECTORY and listed[folder]:
                first = session_file(f"{place}/{below}{folder}")
            if first is not None and _is_kept(f"{place}/{below}{folder}/{first}"):
                yield f"{prefix}{name}", f"{below}{folder}/{first}"
                if name == TRAJECTORY and first.endswith(".json"):
                    for other in _trajectories(f"{place}/{below}{folder}", listed[folder] - {first}):
                        yield f"{prefix}{TRAJECTORY}/{other}", f"{below}{folder}/{other}"


def _trajectories(folder: str, names: frozenset[str]) -> Iterator[str]:
    """Files of continuations and subagents beside a trajectory."""
    for name in sorted(one for one in names if one.endswith(".json"))[:MAX_FILES]:
        found = open_below(folder, (name,))
        if found is not None and found.size <= MOST_BYTES and b'"ATIF' in found.read(0, BEGINNING):
            yield name


def _is_kept(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) <= MOST_BYTES


def _of_scoring(place: str) -> dict[str, str]:
    """The files of the newest scoring. Raises ``InputError`` for one that can't be read."""
    scores = numbers_in(place, SCORES)
    if not scores:
        return {}
    name = file_name(scores[-1])
    parse_record(read_numbered(place, SCORES, scores[-1]), Scoring, f"{place}/{SCORES}/{name}")
    diff = f"{SCORES}/{scores[-1]:04d}.diff"
    return {REPORT: f"{SCORES}/{name}"} | ({DIFF: diff} if _is_kept(f"{place}/{diff}") else {})


def read_judgement(place: str) -> JudgeVerdict | None:
    """The newest one that is kept beside a run."""
    numbers = numbers_in(place, JUDGEMENTS)
    if not numbers:
        return None
    where = f"{place}/{JUDGEMENTS}/{file_name(numbers[-1])}"
    return parse_record(read_numbered(place, JUDGEMENTS, numbers[-1]), JudgeVerdict, where)


def with_verdict(gates: Gates, verdict: JudgeVerdict) -> Gates:
    """The gates with a later verdict of a judge."""
    opinion = verdict.opinion
    return replace(gates, judge=opinion.state, failure_mode=opinion.failure_mode, suspicion=verdict.suspicion)


def _text(source: LocalFolder, found: Mapping[str, str]) -> str:
    """The text to search: the beginning and the end of each file that has the agent's words."""
    parts = []
    for name, path in found.items():
        if name.rpartition("/")[2] in _SEARCHED:
            text = _ends(source.chunks(path)).decode(errors="replace")
            parts.append(_ESCAPE.sub(" ", text) if path.endswith((".json", ".jsonl")) else text)
    return "\n".join(parts)


def _ends(chunks: Iterator[bytes]) -> bytes:
    half = TEXT_BYTES // 2
    first = next(chunks, b"")
    last = deque(chunks, maxlen=1)
    if not last and len(first) <= TEXT_BYTES:
        return first
    return first[:half] + b" " + (last[0] if last else first)[-half:]


def _names(folder: str) -> frozenset[str]:
    try:
        return frozenset(itertools.islice(os.listdir(folder), 10_000))
    except OSError:
        return frozenset()
