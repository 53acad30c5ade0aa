"""What one run of a verifier left: its artifacts as they were found, and how the run itself ended."""

from dataclasses import dataclass

from assay.evidence.files import File, RewardFiles


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a command in a sandbox ended. ``exit_code`` is None where it did not end by itself."""

    exit_code: int | None
    timed_out: bool = False
    out_of_memory: bool = False
    signal: int | None = None


@dataclass(frozen=True, slots=True)
class VerifierEvidence:
    """Everything that a grading looks at. ``output`` is None where the task declares no output file."""

    rewards: RewardFiles
    details: File
    output: File | None
    end: RunEnd
