"""The spans that the service makes, kept in memory."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from assay.adapters.machine.tracing import trace_with


@contextmanager
def kept_spans() -> Iterator[InMemorySpanExporter]:
    """What is exported within the context."""
    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    trace_with(provider)
    try:
        yield kept
    finally:
        trace_with(None)
        provider.shutdown()
