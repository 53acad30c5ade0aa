"""Commands for coding runs."""
