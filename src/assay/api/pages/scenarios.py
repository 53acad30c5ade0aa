"""Coding scenarios: the editor with a row for each scorer, and the tasks that were seeded from them."""

import json
from collections.abc import Mapping
from typing import Any, Final

from assay.api.pages.calls import ServiceCall, asked_for, list_page
from assay.core.errors import InputError
from assay.dialects.scorers.resources import ScenarioResource
from assay.dialects.scorers.scenario import Scenario
from assay.engine.explorer.list_slices import SliceRequest
from assay.engine.explorer.run_filters import HasMetadata
from assay.engine.explorer.run_query import RunQuery
from assay.engine.service.coding_policy import check_scenario
from assay.engine.service.work import WorkKind
from assay.web.routing import CHANGE, READ, Fields, PageAnswer, PageRoutes
from assay.web.scenario_forms import (
    EnteredScenario,
    ScorerFormRow,
    entered_scenario,
    moved_row,
    of_type,
    scenario_form,
    scorer_form,
    scorer_forms,
    shown_scenario,
    with_row,
    without_row,
)

routes: PageRoutes[ServiceCall] = PageRoutes()
MOST_ROWS: Final = 100
MAIN: Final = ("name", "user_instruction", "expected_outcome", "turns")
WORKSPACE: Final = ("workspace_seed", "setup")
BEGIN: Final = {"workspace_seed": {"type": "empty"}, "scorers": [{"type": "command", "name": "tests"}]}


@routes.add("GET", "/scenarios", *READ, word="Scenarios")
def scenarios(call: ServiceCall) -> PageAnswer:
    """All scenarios, the newest first."""
    rows = call.service.coding.scenarios.slice(call.organisation, asked_for(call))
    return list_page(call, "scenarios.html", "Scenarios", rows, scenarios=rows.rows)


@routes.add("GET", "/scenarios/new", *READ)
def new_scenario(call: ServiceCall) -> PageAnswer:
    """The editor of a new scenario."""
    archive = call.query.get("archive")
    seed = {"workspace_seed": {"type": "archive", "path": archive}} if archive else {}
    return _editor(call, None, shown_scenario(BEGIN | seed), fresh=True)


@routes.add("POST", "/scenarios/new", *CHANGE)
def add_scenario(call: ServiceCall) -> PageAnswer:
    """Add the scenario, or change the rows of its form."""
    return _take_form(call, None)


@routes.add("POST", "/scenarios/check", *CHANGE)
def check_entered(call: ServiceCall) -> PageAnswer:
    """Check the scenario entered so far. Nothing is kept."""
    entered = _check_policy(call, _read_form(call.form))
    return call.page("scenario_check.html", title="Check", **_parts(entered))


@routes.add("GET", "/scenarios/{id}", *READ)
def scenario(call: ServiceCall) -> PageAnswer:
    """The editor of a scenario."""
    found = call.service.coding.scenarios.get(call.organisation, call.path["id"])
    return _editor(call, found, shown_scenario(found.scenario))


@routes.add("POST", "/scenarios/{id}", *CHANGE)
def change_scenario(call: ServiceCall) -> PageAnswer:
    """Save a new version, or change the rows of the form."""
    return _take_form(call, call.service.coding.scenarios.get(call.organisation, call.path["id"]))


@routes.add("POST", "/scenarios/{id}/remove", *CHANGE)
def remove_scenario(call: ServiceCall) -> PageAnswer:
    call.service.coding.scenarios.remove(call.organisation, call.path["id"])
    return call.go(call.site.to("scenarios"))


@routes.add("POST", "/scenarios/{id}/seed", *CHANGE)
def seed_task(call: ServiceCall) -> PageAnswer:
    """Freeze the newest version as a task; a worker prepares its workspace."""
    service = call.service
    service.coding.check_on()
    task = service.coding.tasks.add(call.organisation, call.path["id"])
    service.work.add(call.organisation, WorkKind.SEED_CODING_TASK, task.id)
    return call.go(call.site.to(f"coding-tasks/{task.id}"))


@routes.add("GET", "/coding-tasks/{id}", *READ)
def coding_task(call: ServiceCall) -> PageAnswer:
    """A seeded task: its frozen copy, and whether the scenario has moved on."""
    found = call.service.coding.tasks.get(call.organisation, call.path["id"])
    frozen = found.scenario or {}
    of_task = RunQuery((HasMetadata("coding_task", found.id),), page=SliceRequest(100))
    return call.page(
        "coding_task.html",
        title=found.name or "Seeded task",
        task=found,
        runs=call.source.lists.lines(of_task).lines,
        scorers=[_frozen(one) for one in frozen.get("scorers") or ()],
        rest={name: one for name, one in frozen.items() if name not in ("scorers", "user_instruction", "turns")},
    )


def _frozen(scorer: Mapping[str, Any]) -> dict[str, Any]:
    own = {name: scorer.get(name) for name in ("name", "type", "required")}
    known = scorer_form(str(own["type"]))
    settings = {name: one for name, one in scorer.items() if name not in own}
    return {**own, "label": known.label if known else "", "settings": settings}


def _take_form(call: ServiceCall, found: ScenarioResource | None) -> PageAnswer:
    entered = _read_form(call.form)
    action, _, place = call.form.get("action").partition(":")
    if action != "save":
        return _editor(call, found, _change_rows(entered, action, place), fresh=True)
    entered = _check_policy(call, entered)
    if not entered.is_usable:
        return _editor(call, found, entered, status=422)
    coding, new = call.service.coding, Scenario.model_validate(dict(entered.written))
    try:
        coding.check_on()
        saved = (
            coding.scenarios.add(call.organisation, new)
            if found is None
            else coding.scenarios.replace(call.organisation, found.id, new)
        )
    except InputError as error:
        return _editor(call, found, _with_error(entered, str(error)), status=422)
    address = call.site.to(f"scenarios/{saved.id}")
    return PageAnswer("", headers={"HX-Redirect": address}) if call.partial else call.go(address)


def _read_form(form: Fields) -> EnteredScenario:
    """The scenario in a form. A row of a changed type begins with that type's defaults."""
    texts = {one.name: form.get(one.name) for one in scenario_form().fields}
    rows = [_row(form, f"row.{number}.") for number in form.all("row")[:MOST_ROWS]]
    return entered_scenario(texts, rows, _object(form.get("rest")))


def _row(form: Fields, prefix: str) -> ScorerFormRow:
    texts = {name.removeprefix(prefix): value for name, value in form.pairs() if name.startswith(prefix)}
    rest, was, kind = _object(texts.pop("rest", "")), texts.pop("was", ""), texts.get("type", "")
    if was and was != kind:
        return of_type(ScorerFormRow({**texts, "type": was}), kind)
    return ScorerFormRow(texts, rest=rest)


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _change_rows(entered: EnteredScenario, action: str, place: str) -> EnteredScenario:
    """The same scenario with a row added, removed or moved."""
    rows, at = entered.rows, int(place) if place.isdecimal() and len(place) < 5 else -1
    match action:
        case "add":
            kind = place if scorer_form(place) is not None else "command"
            return entered_scenario(entered.entered, with_row(rows, kind), entered.rest)
        case "remove":
            return entered_scenario(entered.entered, without_row(rows, at), entered.rest)
        case "up" | "down":
            moved = moved_row(rows, at, -1 if action == "up" else 1)
            return entered_scenario(entered.entered, moved, entered.rest)
    return entered


def _check_policy(call: ServiceCall, entered: EnteredScenario) -> EnteredScenario:
    """With what this service doesn't allow, too."""
    if not entered.is_usable:
        return entered
    try:
        check_scenario(Scenario.model_validate(dict(entered.written)), call.service.coding.policy)
    except InputError as error:
        return _with_error(entered, str(error))
    return entered


def _with_error(entered: EnteredScenario, said: str) -> EnteredScenario:
    """An error at the field that it begins with, or about the whole."""
    name, _, rest = said.partition(" ")
    fields = [one.name for one in scenario_form().fields]
    place = next((one for one in (name, f"{name}.type") if one in fields), None)
    errors = {"": said} if place is None else {place: rest}
    return EnteredScenario(entered.entered, entered.rows, entered.written, errors, entered.rest)


def _parts(entered: EnteredScenario) -> dict[str, Any]:
    """The variables of the editor's templates."""
    fields = scenario_form().fields
    top = [(one, one.name.partition(".")[0]) for one in fields]
    return {
        "entered": entered,
        "main": [one for one, name in top if name in MAIN],
        "workspace": [one for one, name in top if name in WORKSPACE],
        "others": [one for one, name in top if name not in (*MAIN, *WORKSPACE)],
        "forms_of": {one.type: one for one in scorer_forms()},
        "mistakes": len(entered.errors) + sum(len(row.errors) for row in entered.rows),
    }


def _editor(
    call: ServiceCall,
    found: ScenarioResource | None,
    entered: EnteredScenario,
    *,
    status: int = 200,
    fresh: bool = False,
) -> PageAnswer:
    """``fresh`` doesn't complain about fields that nobody had the time to fill in."""
    tasks = []
    if found is not None:
        tasks = call.service.coding.tasks.slice(call.organisation, SliceRequest(20), scenario=found.id).rows
    return call.page(
        "scenario.html",
        title="New scenario" if found is None else found.name or "Scenario",
        status=200 if call.partial else status,
        scenario=found,
        here=call.site.to("scenarios/new" if found is None else f"scenarios/{found.id}"),
        tasks=tasks,
        fresh=fresh,
        **_parts(entered),
    )
