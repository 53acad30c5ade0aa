"""The languages that the engine reads, a folder each."""
