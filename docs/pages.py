"""The reference pages, generated from the code. Names without a docstring are described in docs/meanings.py."""

import argparse
import importlib
import pkgutil
from collections.abc import Iterable, Iterator

import assay
from assay import backends, client, criteria, evaluation, harbor, rewards, scorers
from assay import commands as functions
from assay.cli import main as command_line
from assay.core import errors as core_errors
from assay.core.errors import AssayError
from assay.dialects.harbor import errors as harbor_errors
from assay.dialects.harbor.terminal_bench import FAILURE_REASONS
from assay.engine.explorer.why import reason_words
from docs.api_page import api_page, openapi_file
from docs.attack_page import attack_table
from docs.coverage_page import coverage_page
from docs.criteria_page import criteria_pages
from docs.decisions_page import decisions_index
from docs.error_sentences import error_page
from docs.evaluation_page import evaluation_face, ingestion_codes
from docs.faces import face, schema_files
from docs.filters_page import filters_page
from docs.holds_page import holds_page
from docs.judge_page import judge_prompts
from docs.markdown import fence, first_sentence, from_docstring, table
from docs.meanings import MISSING
from docs.parity_page import parity_table
from docs.scorers_page import scorer_types, scorers_face
from docs.statements_page import statements_page
from docs.statistics_page import statistics_page
from docs.task_findings_page import task_findings
from docs.task_page import task_fields

NOTICE = "<!-- Written by docs/generate.py from the code. Change the code, then run `make docs`. -->"


def reference_files() -> dict[str, str]:
    """The text of each page and each schema in docs/reference, by its path there."""
    pages = {
        "api.md": api_page(),
        "backends.md": face(backends),
        "client.md": face(client),
        "commands.md": commands(),
        "errors.md": errors(),
        "evaluation.md": evaluation_face(),
        "harbor.md": face(harbor),
        "judge-prompts.md": judge_prompts(),
        "python.md": python_face(),
        "reason-codes.md": reason_codes(),
        "run-filters.md": filters_page(),
        "scorer-types.md": scorer_types(),
        "scorers.md": scorers_face(),
        "rewards.md": face(rewards),
        "statistics.md": statistics_page(),
        "task.md": task_fields(),
        "task-findings.md": task_findings(),
        **criteria_pages(),
    }
    written = {name: _page(parts) for name, parts in pages.items()}
    return written | schema_files(evaluation, scorers, criteria) | openapi_file()


def evidence_files() -> dict[str, str]:
    """The text of each page in docs/evidence that is written from tests and measurements, by its name there."""
    pages = {
        "attack-table.md": attack_table(),
        "error-sentences.md": error_page(),
        "interval-coverage.md": coverage_page(),
        "parity.md": parity_table(),
        "sandbox-holds.md": holds_page(),
        "statements.md": statements_page(),
    }
    return {name: _page(parts) for name, parts in pages.items()}


def decisions() -> str:
    """The index of docs/decisions."""
    return _page(decisions_index())


def _page(parts: Iterable[str]) -> str:
    return "\n\n".join([NOTICE, *parts]) + "\n"


def python_face() -> Iterator[str]:
    """The commands as functions, with examples that are run from the folder of this repository."""
    yield from face(functions)
    yield "## Examples"
    yield "They run in a clone, or where `assay examples copy examples` has put the examples."
    yield fence(PYTHON_EXAMPLES.strip(), "python")


PYTHON_EXAMPLES = """
import tempfile

import assay

# Which agents passed, and what did a failure rest on?
slug = "examples/coding/slug"
for name in ("honest", "cheating"):
    scored = assay.score(f"{slug}/{name}", scenario=f"{slug}/scenario.yaml", baseline=f"{slug}/project")
    print(name, scored.verdict, [row["name"] for row in scored.rows() if row["verdict"] == "FAIL"])

# Run two agents on a task, and look at the rewards and the difference.
jobs = tempfile.mkdtemp()
solved = assay.run("examples/tasks/capital", agent="oracle", n_attempts=2, jobs_dir=jobs, quiet=True)
idle = assay.run("examples/tasks/capital", agent="nop", n_attempts=2, jobs_dir=jobs, quiet=True)
assert list(solved.means.values()) == [1.0]
print(assay.report(solved.folder, by="trial").to_frame())
compared = assay.compare(idle.folder, solved.folder, threshold=1)
assert compared.rows()[0]["difference"] == 1.0

# Does the recorded result follow from the trials, and is the verifier steady?
assert assay.audit(solved.folder).consistent
assert assay.audit(solved.folder, repeat=2).consistent

# How many tasks does it take?
for design in assay.power(difference=0.1, variances=(0.05, 0.2)).rows():
    print(design["attempts"], design["tasks"])

try:
    assay.report("nowhere")
except assay.InputError as error:
    print(error)
"""


def commands() -> Iterator[str]:
    """Every command with its description and its options."""
    yield "# Commands"
    yield command_line.DESCRIPTION
    yield from_docstring(_rest(command_line.__doc__ or ""))
    listed = [(f"[`assay {name}`](#assay-{name})", summary) for name, summary in command_line.COMMANDS.items()]
    yield table(("command", "what it does"), listed)
    for name in command_line.COMMANDS:
        yield from _command(name)


def _command(name: str) -> Iterator[str]:
    parser = command_line.parser_of(name)
    yield f"## assay {name}"
    yield fence(parser.format_usage().removeprefix("usage: ").strip(), "text")
    yield from_docstring(parser.description or "")
    yield _arguments(parser)
    for action in parser._actions:
        for word, inner in action.choices.items() if isinstance(action.choices, dict) else ():
            yield f"### assay {name} {word}"
            yield fence(inner.format_usage().removeprefix("usage: ").strip(), "text")
            yield from_docstring(inner.description or "")
            yield _arguments(inner)


def _arguments(parser: argparse.ArgumentParser) -> str:
    return table(("argument", "meaning"), [(f"`{_invocation(one)}`", _help(one)) for one in parser._actions])


def _invocation(action: argparse.Action) -> str:
    """How an argument is written: ``--key KEY``, or ``JOB``."""
    chosen = f"{{{','.join(action.choices)}}}" if action.choices else action.dest.upper()
    value = "" if action.nargs == 0 else str(action.metavar or chosen)
    return ", ".join(" ".join(filter(None, (option, value))) for option in action.option_strings) or value


def _help(action: argparse.Action) -> str:
    text = (action.help or "") % {**vars(action), "prog": "assay"}
    return f"{text}; required" if action.required and action.option_strings else text


def reason_codes() -> Iterator[str]:
    """The set of reason codes, and where each one comes from."""
    yield "# Reason codes"
    yield from_docstring(_REASON_CODES)
    for title, codes in (("Retryable", harbor.RETRYABLE), ("Final", harbor.FINAL)):
        yield f"## {title}"
        rows = [(f"`{code}`", reason_words().get(code, MISSING), _sources(code)) for code in sorted(codes)]
        yield table(("code", "meaning", "comes with"), rows)
    yield "## Of gradings"
    yield from_docstring(_GRADINGS)
    rows = [
        (f"`{code}`", reason_words().get(code, MISSING), "true" if code.startswith("reward_for_") else "false")
        for code in ingestion_codes()
    ]
    yield table(("code", "meaning", "`verifier_completed`"), rows)


_REASON_CODES = """
A reason code says why there is no reward or no result, or what is wrong with it. An exception of a trial always
has one of the codes that begin with ``harbor_``; if no other code fits, it is ``harbor_trial_failed``.
Retryable codes are caused by the environment, not by the agent. Reports only show the codes; ``assay run
--max-retries`` retries trials, and decides by the type of the exception, as harbor does.

The last column lists the errors of ``assay.harbor`` and the failure modes of terminal-bench that have the code.
A code without an entry comes from the exceptions that trials record, from the outcome line, or from the files
of a job.
"""

_GRADINGS = """
A grading has one of these codes in ``reason_code`` if its reward isn't the one that the verifier wrote. In all
of these cases the reward of the evaluation is 0.0. If ``verifier_completed`` is false, that 0.0 means "no
reward"; if it is true, the verifier gave a reward that was forfeited.
"""


def _sources(code: str) -> str:
    raised = [one.__name__ for one in harbor.RewardError.__subclasses__() if one.reason_code == code]
    modes = [mode for mode, reason in FAILURE_REASONS.items() if reason == code]
    return ", ".join(f"`{source}`" for source in [*raised, *modes])


def errors() -> Iterator[str]:
    """The error tree, and what each error means."""
    for module in pkgutil.walk_packages(assay.__path__, "assay."):
        importlib.import_module(module.name)
    yield "# Errors"
    yield from_docstring(_rest(core_errors.__doc__ or ""))
    yield "## Of the harbor dialect"
    yield from_docstring(harbor_errors.__doc__ or "")
    yield "## One by one"
    rows = [
        (f"`{one.__name__}`", f"`{one.__module__}`", first_sentence(one.__doc__ or ""))
        for one in _tree(AssayError)
    ]
    yield table(("error", "defined in", "meaning"), rows)


def _tree(error: type[AssayError]) -> Iterator[type[AssayError]]:
    """An error and its subclasses, in the order of the source."""
    yield error
    for below in sorted(error.__subclasses__(), key=lambda one: one.__module__):
        yield from _tree(below)


def _rest(docstring: str) -> str:
    """A module's docstring without its first paragraph, which the page's title replaces."""
    return docstring.partition("\n\n")[2]
