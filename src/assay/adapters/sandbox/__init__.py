"""Sandboxes: bubblewrap, containers, and plain processes for a machine with neither."""

# The backends; the best comes first.
NAMES = ("bubblewrap", "namespaces", "container", "process")
AUTO = "auto"
CHOICES = (AUTO, *NAMES)
