"""What a check may look at, as frozen values. Nothing here reads a file."""
