"""Commands for a service: its store, keys, workers and imports."""
