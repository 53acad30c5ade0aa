"""The commands that write a job as one file, and restore it."""
