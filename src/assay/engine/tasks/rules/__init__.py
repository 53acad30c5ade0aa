"""Likely mistakes in a task, found by reading it: one module for each group of mistakes."""
