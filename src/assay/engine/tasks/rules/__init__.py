"""What is likely to be wrong with a task, found by reading it: one module for each group of mistakes."""
