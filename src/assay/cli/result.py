"""Show the evaluation of one run: reward, validity, breakdown, failures, confidence and reviews.

The first line says what the run came to: its state, score, reason and cause, as every command and page has it.
The result is that of the run's own grading, or of the latest with --grading latest, with the annotations and tags
that were added since. With --json it is printed as assay.evaluation.EvaluationResult.
"""

import argparse
import json
from collections.abc import Iterator

from assay.adapters.jobs.annotations import USED, read_result, read_run
from assay.cli.options.common import option
from assay.cli.output.table import clean, render_table
from assay.dialects.evaluation.models import ConfidenceMetadata, EvaluationResult
from assay.evidence.run import Run


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "run_dir RUN", "the folder of a finished trial")
    option(
        parser, "--grading", "which grading to show (default: first, the run's own)", choices=USED, default="first"
    )
    option(parser, "--json", "print the result as JSON")


def run(args: argparse.Namespace) -> int:
    result = read_result(args.run_dir, args.grading)
    if args.json:
        print(result.model_dump_json(indent=2))
        return 0
    print("\n".join(_lines(read_run(args.run_dir, args.grading), result)))
    return 0


def _lines(run: Run, result: EvaluationResult) -> Iterator[str]:
    score = "no score" if run.score is None else f"score {run.score:g}"
    why = [f"reason {run.reason}" if run.reason else "", f"cause {run.cause}" if run.cause else ""]
    yield "  ".join(filter(None, [run.state.value.replace("_", " "), score, *why]))
    flags = ("output_parseable", "schema_valid", "verifier_completed")
    yield "  ".join(f"{flag} {str(getattr(result.validity, flag)).lower()}" for flag in flags)
    yield from (f"error: {clean(error)}" for error in result.validity.errors)
    if result.confidence is not None:
        yield f"confidence: {_confidence(result.confidence)}"
    if result.breakdown is not None:
        rows = [(name, _one_line(value)) for name, value in result.breakdown.items()]
        yield f"\n{render_table(('part', 'value'), rows)}"
    if result.error_taxonomy:
        tags = [(tag.category, tag.source.value, tag.description or "") for tag in result.error_taxonomy]
        yield f"\n{render_table(('failure', 'found by', 'description'), tags)}"
    if result.annotations:
        reviews = [
            (one.reviewer_id, one.reviewer_discipline or "", one.judgment.value, one.notes or "")
            for one in result.annotations
        ]
        yield f"\n{render_table(('reviewer', 'discipline', 'says', 'notes'), reviews)}"


def _confidence(confidence: ConfidenceMetadata) -> str:
    known = confidence.model_dump(mode="json", exclude_none=True)
    return clean(", ".join(f"{name} {_one_line(value)}" for name, value in known.items()))


def _one_line(value: object) -> str:
    """A value of a verifier in one line, cut where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else f"{text[:100]}…"
