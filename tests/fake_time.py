"""Time that passes only when somebody waits."""

from assay.adapters.sources.json_requests import Pace


class FakeTime:
    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def pace(self, part: float = 0.5) -> Pace:
        """Each pause takes that part of its full length."""
        return Pace(self.clock, self.sleep, lambda: part)
