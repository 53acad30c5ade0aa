"""What a verifier left, in memory."""

from assay.evidence.coding_run import ProcessEnd, VerifierEvidence
from assay.evidence.files import Absent, Content, File, RewardFiles

REWARD, TEXT, DETAILS = "/logs/verifier/reward.json", "/logs/verifier/reward.txt", "/logs/verifier/details.json"
OUTPUT = "/workspace/answer.json"
FINE = ProcessEnd(exit_code=0)


def left(
    reward: bytes | File | None = None,
    *,
    text: bytes | File | None = None,
    details: bytes | File | None = None,
    output: bytes | File | None = None,
    end: ProcessEnd = FINE,
) -> VerifierEvidence:
    """One verifier run. A file is its bytes, or what was found in its place; None is nothing.

    Without an output the task declares none; a declared one that is not there is ``Absent``.
    """
    return VerifierEvidence(
        rewards=RewardFiles(json=_file(REWARD, reward), text=_file(TEXT, text)),
        details=_file(DETAILS, details),
        output=None if output is None else _file(OUTPUT, output),
        end=end,
    )


def _file(path: str, found: bytes | File | None) -> File:
    if found is None:
        return Absent(path)
    return Content(path, found) if isinstance(found, bytes) else found
