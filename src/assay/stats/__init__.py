"""Statistics about repeated attempts, in addition to those that the documents define."""
