"""Finished jobs: their trials as runs, and what was added to them later."""
