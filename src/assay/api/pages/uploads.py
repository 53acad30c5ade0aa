"""Forms with files: jobs, an agent's output for a task, workspaces of scenarios. The judge of an
organisation is set and asked again here, too.
"""

from assay.adapters.service.coding import check_sent_archive, patched_archive
from assay.api.pages.calls import ServiceCall
from assay.api.routes.coding_runs import ask_again
from assay.api.routes.jobs import add_job
from assay.api.routes.scenarios import OrganisationJudge, set_judge
from assay.core.errors import InputError
from assay.dialects.scorers.resources import CompletedBy, NewCodingRun
from assay.engine.service.coding_grading import complete_coding_run
from assay.engine.service.keys import Scope
from assay.engine.service.work import WorkKind
from assay.web.declared_forms import ShownForm, blank_form, fill_form, read_form
from assay.web.routing import CHANGE, READ, PageAnswer, PageRoutes

routes: PageRoutes[ServiceCall] = PageRoutes()
LOGS = {"trajectory": "trajectory.json", "final_response": "final_response.md"}
LEFT_OUT = ("metadata",)


@routes.add("POST", "/jobs", *CHANGE)
def add_sent_job(call: ServiceCall) -> PageAnswer:
    """Import the job in an archive."""
    job, _ = add_job(call.service, call.organisation, _file(call, "archive"), call.form.get("name") or None)
    return call.go(call.site.job(job.name))


@routes.add("POST", "/archives", *CHANGE)
def add_archive(call: ServiceCall) -> PageAnswer:
    """Keep the files that a scenario begins with, and go on to a scenario that begins with them."""
    coding, content = call.service.coding, _file(call, "archive")
    coding.check_on()
    check_sent_archive(content)
    path = coding.archives.add(call.organisation, content).path
    return call.go(call.site.to("scenarios/new", {"archive": path}))


@routes.add("GET", "/coding-tasks/{id}/run", *READ)
def new_coding_run(call: ServiceCall) -> PageAnswer:
    """The form of a run whose agent worked elsewhere."""
    return _run_form(call, blank_form(NewCodingRun, LEFT_OUT))


@routes.add("POST", "/coding-tasks/{id}/run", *CHANGE)
def add_coding_run(call: ServiceCall) -> PageAnswer:
    """Take what the agent left, as an archive or as a patch, and have it graded."""
    new, form = read_form(NewCodingRun, call.form, LEFT_OUT)
    coding, organisation = call.service.coding, call.organisation
    if new is None:
        return _run_form(call, form)
    try:
        workspace = _left(call)
        run = coding.runs.add(organisation, call.path["id"], new)
        coding.runs.put_workspace(organisation, run.id, workspace)
        for field, name in LOGS.items():
            if field in call.files:
                coding.runs.put_file(organisation, run.id, name, call.files[field])
        complete_coding_run(coding.runs, organisation, run.id, CompletedBy())
    except InputError as error:
        return _run_form(call, form.wrong("", str(error)))
    call.service.work.add(organisation, WorkKind.GRADE_CODING_RUN, run.id)
    return call.go(call.site.run(run.id))


def _left(call: ServiceCall) -> bytes:
    """The workspace as the agent left it. Raises ``InputError``."""
    if ("workspace" in call.files) == ("patch" in call.files):
        raise InputError("choose either an archive of the workspace or a patch of it")
    if "patch" in call.files:
        begun = call.service.coding.tasks.workspace(call.organisation, call.path["id"])
        return patched_archive(begun, call.files["patch"])
    check_sent_archive(call.files["workspace"])
    return call.files["workspace"]


def _run_form(call: ServiceCall, form: ShownForm) -> PageAnswer:
    task = call.service.coding.tasks.get(call.organisation, call.path["id"])
    return call.page("coding_run.html", title="Grade a run", status=form.status, task=task, form=form)


@routes.add("POST", "/runs/{id}/gradings", *CHANGE)
def grade_again(call: ServiceCall) -> PageAnswer:
    """Grade a coding run again from what is kept of it, or have only its judge look again."""
    identity = call.path["id"]
    ask_again(call.service, call.organisation, identity, bool(call.form.get("judge_only")))
    return call.go(call.site.run(identity, {"tab": "gradings"}))


@routes.add("GET", "/judge", Scope.ADMIN)
def judge(call: ServiceCall) -> PageAnswer:
    """The judge that reads the coding runs of the organisation."""
    found = call.service.coding.judges.find(call.organisation)
    return _judge(call, fill_form(OrganisationJudge, {} if found is None else found[0]))


@routes.add("POST", "/judge", Scope.ADMIN)
def change_judge(call: ServiceCall) -> PageAnswer:
    """Set the judge. Saving replaces what was there, its token, too."""
    new, form = read_form(OrganisationJudge, call.form, prefix="judge.")
    if new is None:
        return _judge(call, form)
    try:
        set_judge(call.service, call.organisation, new)
    except InputError as error:
        return _judge(call, form.wrong("url", str(error).removeprefix("url ")))
    return call.go(call.site.to("judge"))


@routes.add("POST", "/judge/remove", Scope.ADMIN)
def remove_judge(call: ServiceCall) -> PageAnswer:
    call.service.coding.judges.remove(call.organisation)
    return call.go(call.site.to("judge"))


def _judge(call: ServiceCall, form: ShownForm) -> PageAnswer:
    found = call.service.coding.judges.find(call.organisation)
    return call.page("judge.html", title="The judge", status=form.status, form=form, known=found)


def _file(call: ServiceCall, name: str) -> bytes:
    """Raises ``InputError`` if none was chosen."""
    if name not in call.files:
        raise InputError("choose a file: a tar or zip archive")
    return call.files[name]
