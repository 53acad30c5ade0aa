"""Read a trajectory, whichever form it has. The content decides, not the name of the file."""

from collections.abc import Callable

from assay.evidence.trajectory import Form, Speaker, Step, Trajectory
from assay.formats.trajectories.atif import is_atif, read_atif
from assay.formats.trajectories.messages import message_lines, messages_in, read_messages
from assay.formats.trajectories.values import decoded, parsed, text_of


def read_trajectory(data: bytes, name: str, read: Callable[[str], bytes | None]) -> Trajectory:
    """The trajectory in a file's bytes. No bytes raise: what is neither ATIF nor messages is plain text.

    ``read`` gives the bytes of another file beside it, which a trajectory may refer to; None if there is none.
    """
    text = decoded(data)
    try:
        value = parsed(text)
    except ValueError:
        value = None
    if isinstance(value, dict) and is_atif(value):
        return read_atif(value, name, read)
    found = messages_in(value)
    if found is not None:
        return read_messages(found)
    lines = message_lines(text)
    return read_messages(*lines) if lines is not None else plain_text(text)


def plain_text(text: str) -> Trajectory:
    """A log without any structure, as one message of the agent."""
    steps = (Step(1, Speaker.AGENT, text_of(text)),) if text.strip() else ()
    return Trajectory(Form.TEXT, steps)
