"""Two or more jobs by task: who solved what, how large the difference is, and how sure that is."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from markupsafe import Markup

from assay.core.errors import InputError
from assay.engine.explorer.job_view import TaskStrip, task_strips
from assay.engine.explorer.page_source import RunDetail, groups_by, job_comparison
from assay.engine.report.charts import comparison_svg
from assay.engine.report.compare import ArmComparison, ArmPair
from assay.engine.report.compare_arms import Arm
from assay.engine.service.errors import NotFoundError
from assay.formats.counting import counted
from assay.stats.interval import Interval
from assay.web.pages.jobs import run_link
from assay.web.rendering import NOTHING, number, picture
from assay.web.routing import READ, PageAnswer, PageCall, PageRoutes
from assay.web.visible_text import visible

routes: PageRoutes[PageCall] = PageRoutes()
TASKS: Final = 12
MOST_RUNS: Final = 8


Side: TypeAlias = tuple[Arm, Mapping[str, TaskStrip]]
"""One side of a comparison, with its attempts by task."""


@routes.add("GET", "/compare", *READ, word="Compare")
def compare_jobs(call: PageCall) -> PageAnswer:
    """The comparison that the address asks for, or the choice of jobs."""
    names = list(dict.fromkeys(call.query.all("job")))
    known = [one["value"] for one in groups_by(call.source, "job")]
    with_one = [(one, call.site.to("compare", {"job": [*names, one]})) for one in known if one not in names]
    values: dict[str, Any] = {"known": known, "names": names, "with_one": with_one, "found": None, "wrong": ""}
    if len(names) >= 2:
        try:
            values |= _comparison_values(call, names)
        except NotFoundError:
            raise
        except InputError as error:
            values["wrong"] = str(error)
    task = call.query.get("task")
    if task and values["found"] is not None:
        return call.page(
            "compare_task.html", title=task, task=task, runs=_side_by_side(call, values["sides"], task), **values
        )
    return call.page("compare.html", title="Compare", **values)


def _comparison_values(call: PageCall, names: list[str]) -> dict[str, Any]:
    found = job_comparison(call.source, names)
    sides = _sides(call, names, found)
    rows, start = _rows(found, sides), call.query.whole("start")

    def again(from_: int) -> str:
        return call.site.to("compare", [*(("job", name) for name in names), ("start", from_)]) + "#tasks"

    return {
        "found": found,
        "sides": sides,
        "links": [run_link(call.site, arm.job) for arm, _ in sides],
        "rows": rows[start : start + TASKS],
        "more": again(start + TASKS) if start + TASKS < len(rows) else None,
        "answers": answers(found),
        "chart": comparison_chart(found),
        "widest": _widest(found),
        "matrix": _matrix(found),
        "matrix_heads": [(visible(agent.arm.label), "number", "", "") for agent in found.agents],
        "task_to": lambda task: call.site.to("compare", [*(("job", name) for name in names), ("task", task)]),
    }


def _widest(found: ArmComparison) -> float:
    """The largest difference that there can be between rewards like these."""
    known = [one for agent in found.agents for task in agent.arm.tasks.values() for one in task.rewards]
    return max(1.0, *known) - min(0.0, *known)


def answers(found: ArmComparison) -> list[str]:
    """A sentence for each pair, or of many agents the one that names the best."""
    return [sentence(pair) for pair in found.pairs] if len(found.pairs) <= 3 else [_best(found)]


def _best(found: ArmComparison) -> str:
    """Name those that may be the best of many, in one sentence."""
    first = [agent.arm.label for agent in found.agents if agent.ranks.best == 1]
    if len(first) == 1:
        return f"{first[0]} is the best of {len(found.agents)}."
    return (
        f"The data don't show which one is best: {len(first)} of {len(found.agents)} may be ({', '.join(first)})."
    )


def _matrix(found: ArmComparison) -> list[tuple[str, list[dict[str, str] | None]]]:
    """The difference of each agent to each other one."""
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for pair in found.pairs:
        value, title = pair.difference.value, sentence(pair)
        for row, column, sign in ((pair.second, pair.first, 1), (pair.first, pair.second, -1)):
            shown = "" if pair.better is None else "badge is-passed" if pair.better == row else "badge is-failed"
            text = NOTHING if value is None else f"{sign * value:+.3f}"
            cells[row, column] = {"text": text, "class": shown, "title": title}
    labels = [agent.arm.label for agent in found.agents]
    return [(row, [cells.get((row, column)) for column in labels]) for row in labels]


def comparison_chart(found: ArmComparison) -> Markup | str:
    """A picture from three points on: of the agents, or of the tasks at which two of them differ."""
    drawn = len(found.agents) > 2 or sum(bool(one.difference) for one in found.pairs[0].tasks) > 2
    return picture(comparison_svg(found)) if drawn else ""


def _sides(call: PageCall, names: list[str], found: ArmComparison) -> list[Side]:
    """The sides of the comparison, each with the strips of its group."""
    strips = {name: list(task_strips(call.source.read_job(name).runs or ())) for name in names}
    return [
        (arm, {strip.task: strip for strip in strips[arm.job] if strip.group == arm.group})
        for arm in (agent.arm for agent in found.agents)
    ]


def _rows(found: ArmComparison, sides: list[Side]) -> list[tuple[str, list[TaskStrip | None], float | None]]:
    """Each task with the attempts of each side, and the difference if there are two. The tasks that decide come
    first: those with the largest difference between any two.
    """
    known = {task.task: task.difference for task in found.pairs[0].tasks} if len(found.pairs) == 1 else {}
    tasks = dict.fromkeys([*known, *(task for _, strips in sides for task in strips)], 0.0)
    for task in (task for pair in found.pairs for task in pair.tasks):
        tasks[task.task] = max(tasks.get(task.task, 0.0), abs(task.difference or 0.0))
    tasks = dict(sorted(tasks.items(), key=lambda one: -one[1]))
    return [(task, [strips.get(task) for _, strips in sides], known.get(task)) for task in tasks]


def sentence(pair: ArmPair) -> str:
    """The answer in one sentence."""
    value, span = pair.difference.value, pair.difference.interval
    if value is None:
        return f"{pair.second} and {pair.first} have no task in common with a usable reward on both sides."
    sign = -1 if pair.better == pair.first else 1  # The better one comes first in the sentence.
    ends = ""
    if isinstance(span, Interval):
        low, high = sorted((sign * span.low, sign * span.high))
        ends = f" (95 %: {number(low, 3)} to {number(high, 3)})"
    over = f"over {counted(pair.difference.tasks, 'common task')}"
    if pair.better is None:
        known = f"{pair.second} differs from {pair.first} by {value:+.3f}{ends} {over}"
        return f"The data don't show which one is better: {known}."
    other = pair.first if pair.better == pair.second else pair.second
    return f"{pair.better} is better than {other}: the difference is {sign * value:.3f}{ends} {over}."


def _side_by_side(call: PageCall, sides: list[Side], task: str) -> list[list[RunDetail]]:
    """The runs of a task, those of each side in a column."""
    strips = (strips.get(task) for _, strips in sides)
    return [[call.source.run(run.id) for run in strip.runs[:MOST_RUNS]] if strip else [] for strip in strips]
