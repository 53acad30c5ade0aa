"""Read what an agent left about itself among its logs: its trajectory, its final response and its output.

The agent wrote these files, so each is read without following a link and up to a limit. A file that can't be used
is a remark, never an error.
"""

from collections.abc import Iterator, Sequence

from assay.adapters.machine.safe_read import is_folder, is_there, names_in, open_below, read_below
from assay.engine.run.trial_record import AGENT_LOG, AGENT_LOGS, ORACLE_LOG, STDOUT_LOG
from assay.evidence.coding_run import AgentEnd, AgentRecord, Tail, Trajectory
from assay.evidence.files import Content, Refused
from assay.formats.trajectories.messages import read_trajectory
from assay.formats.trajectories.stream import holds_session
from assay.formats.trajectories.values import decoded

LIMIT = 64 * 2**20
TAIL = 32 * 1024
CUT_MARK = "[the beginning was cut off]\n"
TRAJECTORIES = ("trajectory.json", "trajectory.jsonl", "messages.jsonl", "trajectory.txt", "trajectory.md")
RESPONSES = ("final_response.md", "final_response.txt", "response.md", "response.txt")
_SESSIONS = (".jsonl", ".json", ".traj", ".eval")
_LOOKED_AT = 20
OUTPUTS = (*AGENT_LOGS, "stdout.txt", "stderr.txt")


def read_agent_record(folder: str, end: AgentEnd | None = None, agent: str | None = None) -> AgentRecord:
    """The record in the folder of an agent's logs. ``agent`` is its name, after which harbor names its output."""
    return _RecordReader(folder).record(end, _output_names(agent))


def session_file(folder: str) -> str | None:
    """The first file of any name that is an agent's session by its content; None if there is none."""
    for name in [one for one in names_in(folder, "") if one.endswith(_SESSIONS)][:_LOOKED_AT]:
        found = open_below(folder, (name,))
        if found is not None and found.size <= LIMIT and holds_session(found):
            return name
    return None


def _output_names(agent: str | None) -> Sequence[str]:
    return OUTPUTS if not agent or "/" in agent else tuple(dict.fromkeys((*OUTPUTS, f"{agent}.txt")))


class _RecordReader:
    """Reads one folder. ``remarks`` collects what could not be used."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.remarks: list[str] = []

    def record(self, end: AgentEnd | None, names: Sequence[str]) -> AgentRecord:
        names = [one for one in names if one not in (AGENT_LOG, ORACLE_LOG)] if self._exists(STDOUT_LOG) else names
        printed = [(name, data) for name in names if (data := self._read(name)) is not None]
        trajectory = self._trajectory(printed)
        response = next(self._responses(), None)
        if response is None and trajectory is not None:
            response = trajectory.last_message
        return AgentRecord(trajectory, response, tuple(_tail(*one) for one in printed), end, tuple(self.remarks))

    def _trajectory(self, printed: Sequence[tuple[str, bytes]]) -> Trajectory | None:
        """The trajectory that the agent wrote. Without one, what it printed, which may be one, too."""
        other = session_file(self._folder) if not any(map(self._exists, TRAJECTORIES)) else None
        names = TRAJECTORIES if other is None else (other,)
        written = ((name, data) for name in names if (data := self._read(name)) is not None)
        name, data = next(written, next((one for one in printed if one[1].strip()), ("", b"")))
        if not data.strip():
            return None
        return read_trajectory(data.removeprefix(CUT_MARK.encode()), name, self._read)

    def _exists(self, name: str) -> bool:
        return is_there(f"{self._folder}/{name}")

    def _responses(self) -> Iterator[str]:
        for name in RESPONSES:
            data = self._read(name)
            if data is not None and data.strip():
                yield decoded(data[-TAIL:]).strip()

    def _read(self, name: str) -> bytes | None:
        if not is_folder(self._folder):
            return None
        found = read_below(self._folder, name.split("/"), LIMIT)
        if isinstance(found, Refused):
            self.remarks.append(f"{name} isn't read: it is {found.why.value}{found.detail}")
        return found.data if isinstance(found, Content) else None


def _tail(name: str, data: bytes) -> Tail:
    text = decoded(data[-TAIL:])
    return Tail(name, text.removeprefix(CUT_MARK), len(data) > TAIL or text.startswith(CUT_MARK))
