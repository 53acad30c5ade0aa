"""Evidence for checks, as frozen values. Nothing here reads a file."""
