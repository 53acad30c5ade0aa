"""Runners that can be asked which tests get where, and that can be told to run only some of them."""
