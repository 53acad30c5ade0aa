"""The HTTP API. Each route parses, calls one use case, and renders. Imported only by ``assay serve``."""
