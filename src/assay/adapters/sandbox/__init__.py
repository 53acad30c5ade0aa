"""Sandboxes: bubblewrap, containers, and plain processes for a machine with neither."""
