"""Numbers about the service, in the text format of Prometheus. No label has a value of a user."""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

BUCKETS_SEC: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counts requests and how long they took. May be used from several threads."""

    def __init__(self, process: str | None = None) -> None:
        """``process`` is which of several behind one port this is: each counts for itself."""
        self._label = "" if process is None else f',process="{process}"'
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        with self._lock:
            self._requests[method, route, status] += 1
            counts = self._buckets.setdefault(route, [0] * (len(BUCKETS_SEC) + 1))
            counts[bisect_left(BUCKETS_SEC, seconds)] += 1
            self._seconds[route] = self._seconds.get(route, 0.0) + seconds

    def text(self, gauges: Mapping[str, tuple[str, int]] | None = None) -> str:
        """Everything, as Prometheus reads it. ``gauges`` have their meanings and values by name."""
        with self._lock:
            lines = [*self._request_lines(), *self._duration_lines()]
        for name, (meaning, value) in (gauges or {}).items():
            lines += [f"# HELP {name} {meaning}", f"# TYPE {name} gauge", f"{name} {value}"]
        return "\n".join([*lines, ""])

    def _request_lines(self) -> Iterator[str]:
        yield "# HELP assay_requests_total Requests by route and status."
        yield "# TYPE assay_requests_total counter"
        for (method, route, status), count in sorted(self._requests.items()):
            labels = f'method="{method}",route="{route}",status="{status}"{self._label}'
            yield f"assay_requests_total{{{labels}}} {count}"

    def _duration_lines(self) -> Iterator[str]:
        yield "# HELP assay_request_seconds How long requests took."
        yield "# TYPE assay_request_seconds histogram"
        for route, counts in sorted(self._buckets.items()):
            so_far = 0
            for limit, count in zip([*map(str, BUCKETS_SEC), "+Inf"], counts, strict=True):
                so_far += count
                yield f'assay_request_seconds_bucket{{route="{route}",le="{limit}"{self._label}}} {so_far}'
            yield f'assay_request_seconds_sum{{route="{route}"{self._label}}} {self._seconds[route]:.6f}'
            yield f'assay_request_seconds_count{{route="{route}"{self._label}}} {so_far}'
