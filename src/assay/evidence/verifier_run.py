"""The evidence of one verifier run: its artifacts, and how the run ended."""

from dataclasses import dataclass

from assay.evidence.files import File, RewardFiles


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a command in a sandbox ended. ``exit_code`` is None if it was stopped from outside.

    ``excess`` says what it used too much of, if it was stopped for that.
    """

    exit_code: int | None
    timed_out: bool = False
    out_of_memory: bool = False
    signal: int | None = None
    excess: str = ""


@dataclass(frozen=True, slots=True)
class VerifierEvidence:
    """Everything that a grading is based on. ``output`` is None if the task declares no output file.

    ``strays`` says what was removed from the workspace before the verifier ran.
    """

    rewards: RewardFiles
    details: File
    output: File | None
    end: ProcessEnd
    strays: tuple[str, ...] = ()
