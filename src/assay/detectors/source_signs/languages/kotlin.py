"""Kotlin."""

from assay.detectors.source_signs.languages import java
from assay.detectors.source_signs.words import Words

WORDS = Words(
    equality=("equals",),
    environment=(*java.ENVIRONMENT, "System.getenv().*"),
    outside=java.OUTSIDE,
    asks=java.ASKS,
    stack=(*java.STACK, "Throwable().stackTrace", "currentThread().stackTrace", "*.stackTrace"),
    freezes=("mockkStatic(<Instant|LocalDate*|Clock|System>::class*)",),
    exits=(*java.EXITS, "exitProcess(0)"),
    at_end=("addShutdownHook(*)",),
    early_blocks=("anonymous_initializer",),
    shadows=("<Assert|Assertions|Assume>",),
    assertions=java.ASSERTIONS,
    hooks=(*java.HOOKS, ("intercept", "execute|test|testFunction|invoke")),
)
