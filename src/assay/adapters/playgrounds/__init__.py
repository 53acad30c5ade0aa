"""Playgrounds of files: their sources and criteria, as the command line reads them."""
