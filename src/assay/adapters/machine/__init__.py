"""This machine: files that an agent may have made, processes, locks."""
