"""Spans for OpenTelemetry: what the service does and how long it takes, without any value of a request or record.

Nothing is traced unless the standard environment variables name an exporter. The provider is this module's own,
not that of the process: libraries would add spans of their own to that one, with paths and queries in them.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from assay.core.errors import InputError, install_hint

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

Attribute: TypeAlias = str | int | float | bool
SERVICE: Final = "assay"
ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
EXPORTER: Final = "OTEL_TRACES_EXPORTER"
_tracer: "Tracer | None" = None


class SpanNotes:
    """Describes a span while it lasts."""

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def add(self, **attributes: Attribute | None) -> None:
        """Attributes, with a dot for each double underscore. Those without a value are left out."""
        if self._span is not None:
            self._span.set_attributes(_dotted_attributes(attributes))

    def rename(self, name: str) -> None:
        if self._span is not None:
            self._span.update_name(name)

    def failed(self, kind: str) -> None:
        """That it went wrong. The text of an error may have values in it, so only its kind is told."""
        if self._span is not None:
            from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415 - only who traces has it

            self._span.set_attribute("error.type", kind)
            self._span.set_status(Status(StatusCode.ERROR))


_NOTHING: Final = SpanNotes()


@contextmanager
def span(
    name: str, parent: Mapping[str, str] | None = None, *, serves: bool = False, **attributes: Attribute | None
) -> Iterator[SpanNotes]:
    """A span around what is done in the context. ``parent`` has headers that may say which trace it belongs to."""
    if _tracer is None:
        yield _NOTHING
        return
    from opentelemetry.trace import SpanKind  # noqa: PLC0415 - only who traces has it
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

    context = TraceContextTextMapPropagator().extract(parent) if parent else None
    with _tracer.start_as_current_span(
        name,
        context,
        SpanKind.SERVER if serves else SpanKind.INTERNAL,
        _dotted_attributes(attributes),
        record_exception=False,
        set_status_on_exception=False,
    ) as made:
        told = SpanNotes(made)
        try:
            yield told
        except BaseException as error:
            told.failed(type(error).__name__)
            raise


def _dotted_attributes(attributes: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    return {name.replace("__", "."): value for name, value in attributes.items() if value is not None}


def trace_with(provider: "TracerProvider | None") -> None:
    """Trace with a provider, or no longer."""
    global _tracer  # noqa: PLW0603 - one for the process, as its environment is
    _tracer = None if provider is None else provider.get_tracer(SERVICE)


def trace_if_configured(environment: Mapping[str, str] = os.environ) -> Callable[[], None]:
    """Trace if the environment names an exporter. Returns what ends it. Raises ``InputError`` if it can't be."""
    exporter = environment.get(EXPORTER, "").strip() or "otlp"
    named = any(environment.get(one) for one in ENDPOINTS) or environment.get(EXPORTER, "").strip() == "console"
    if not named or exporter == "none" or environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return lambda: None
    if exporter not in ("otlp", "console"):
        raise InputError(f"{EXPORTER} must be otlp, console or none, got {exporter!r}")
    try:
        provider = _provider(exporter)
    except ImportError as error:
        raise InputError(f"tracing needs more packages: {install_hint('otel')}") from error
    trace_with(provider)

    def end() -> None:
        trace_with(None)
        provider.shutdown()

    return end


def _provider(exporter: str) -> "TracerProvider":
    """One that exports in the background. The name of the service and the sampler are in the environment, too."""
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - an extra, and slow to import
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter  # noqa: PLC0415

    chosen: SpanExporter
    if exporter == "console":
        chosen = ConsoleSpanExporter()
    else:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415

        chosen = OTLPSpanExporter()
    resource = Resource.create({} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": SERVICE})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(chosen))
    return provider
