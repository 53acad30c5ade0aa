"""The reference pages, written from the code. What the code has no docstring for is in docs/meanings.py."""

import argparse
import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator

import assay
from assay import harbor
from assay.cli import main as command_line
from assay.core import errors as core_errors
from assay.core.errors import AssayError
from assay.dialects.harbor import errors as harbor_errors
from assay.dialects.harbor.terminal_bench import FAILURE_REASONS
from docs.markdown import fence, first_sentence, from_docstring, table
from docs.meanings import MISSING, REASONS, VALUES
from docs.source import Definition, public_definitions

NOTICE = "<!-- Written by docs/generate.py from the code. Change the code, then run `make docs`. -->"


def reference_pages() -> dict[str, str]:
    """The text of each page in docs/reference, by file name."""
    pages = {
        "commands.md": commands(),
        "errors.md": errors(),
        "harbor.md": harbor_face(),
        "reason-codes.md": reason_codes(),
    }
    return {name: _page(parts) for name, parts in pages.items()}


def _page(parts: Iterable[str]) -> str:
    return "\n\n".join([NOTICE, *parts]) + "\n"


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
    yield table(("argument", "meaning"), [(f"`{_invocation(one)}`", _help(one)) for one in parser._actions])


def _invocation(action: argparse.Action) -> str:
    """How an argument is written: ``--key KEY``, or ``JOB``."""
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    return ", ".join(" ".join(filter(None, (option, value))) for option in action.option_strings) or value


def _help(action: argparse.Action) -> str:
    text = (action.help or "") % {**vars(action), "prog": "assay"}
    return f"{text}; required" if action.required and action.option_strings else text


def harbor_face() -> Iterator[str]:
    """Every public name of ``assay.harbor``."""
    yield "# assay.harbor"
    yield from_docstring(harbor.__doc__ or "")
    definitions = public_definitions(harbor).values()
    ordered = sorted(definitions, key=lambda one: one.name.lower())
    rows = [
        (f"[`{one.name}`](#{one.name.lower()})", _kind(one.name), first_sentence(_doc(one))) for one in ordered
    ]
    yield table(("name", "kind", "what it is"), rows)
    for one in ordered:
        yield from _name(one)


def _kind(name: str) -> str:
    found = getattr(harbor, name)
    if isinstance(found, type):
        return "error" if issubclass(found, Exception) else "class"
    return "function" if inspect.isfunction(found) else "value"


def _name(definition: Definition) -> Iterator[str]:
    yield f"## {definition.name}"
    # Not tagged as "python": that would be an example, and examples are run.
    yield fence(definition.text, "py")
    yield from_docstring(_doc(definition))
    if definition.methods:
        yield "\n".join(f"- `{name}`: {first_sentence(doc)}" for name, doc in definition.methods)


def _doc(definition: Definition) -> str:
    return definition.doc or VALUES.get(definition.name, MISSING)


def reason_codes() -> Iterator[str]:
    """The set of reason codes, and where each one comes from."""
    yield "# Reason codes"
    yield from_docstring(_REASON_CODES)
    for title, codes in (("Worth another try", harbor.RETRYABLE), ("Final", harbor.FINAL)):
        yield f"## {title}"
        rows = [(f"`{code}`", REASONS.get(code, MISSING), _sources(code)) for code in sorted(codes)]
        yield table(("code", "meaning", "comes with"), rows)


_REASON_CODES = """
A reason code says why there is no reward, why there is no result, or what is wrong with one. An exception of a
trial always gets one of these; where no other fits, it is ``harbor_trial_failed``. The codes that are worth a new
try are the fault of the surroundings. Assay says which is which; it tries nothing again by itself.

The last column names the errors of ``assay.harbor`` that carry the code, and the failure modes of terminal-bench
that become it. A code without an entry comes from the exceptions that trials record, from the outcome line, or
from the files of a job.
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
    """An error and those below it, in the order in which the source has them."""
    yield error
    for below in sorted(error.__subclasses__(), key=lambda one: one.__module__):
        yield from _tree(below)


def _rest(docstring: str) -> str:
    """A module's docstring without its first paragraph, which the page's title stands for."""
    return docstring.partition("\n\n")[2]
