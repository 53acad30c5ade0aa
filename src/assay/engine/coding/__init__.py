"""Coding runs: seed their tasks, find what changed, ask the scorers."""
