"""The reference of ``assay.evaluation``: its names, the parts that its models hold, and their JSON Schemas."""

import ast
import inspect
import re
from collections.abc import Iterator

from assay import evaluation
from assay.dialects.evaluation import ingest as ingestion
from assay.engine.run.control import DOWNLOAD_FAILED, SANDBOX_FAILED
from docs.faces import face, names, schema_links
from docs.markdown import from_docstring
from docs.source import definition

# Types that fields of the models have and that nobody makes on his own.
_PARTS = (
    ("DimensionScore", "assay.dialects.evaluation.rubric"),
    ("EnvironmentDescription", "assay.engine.tasks.describe_task"),
    ("Control", "assay.dialects.evaluation.models"),
    ("Hashes", "assay.dialects.evaluation.models"),
    ("Inspection", "assay.dialects.evaluation.output"),
    ("OutputDescription", "assay.engine.tasks.describe_task"),
    ("PhaseDescription", "assay.engine.tasks.describe_task"),
    ("Refusal", "assay.evidence.files"),
    ("StepDescription", "assay.engine.tasks.describe_task"),
    ("Usage", "assay.dialects.evaluation.models"),
)

_MODELS = """
A class with the base ``StrictModel`` is a pydantic model: nothing is coerced, an unknown field is an error, and a
value does not change once it is validated. Files with annotations and gradings are written from these models.
"""


def evaluation_face() -> Iterator[str]:
    """Every public name of ``assay.evaluation``, what stands in its fields, and the schemas."""
    yield from face(evaluation)
    yield "## Parts of the models"
    yield from_docstring(_MODELS)
    yield from names((definition(module, name) for name, module in _PARTS), level=3)
    yield from schema_links(evaluation)


def ingestion_codes() -> list[str]:
    """The reason codes that ingestion and the control give, sorted."""
    tree = ast.parse(inspect.getsource(ingestion))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    codes = {text for text in texts if isinstance(text, str) and re.fullmatch(r"reward_[a-z_]+", text)}
    return sorted(codes | {DOWNLOAD_FAILED, SANDBOX_FAILED})
