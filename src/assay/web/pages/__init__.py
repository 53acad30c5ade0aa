"""The pages, one module for each. They compute nothing: every number comes from a report or a record."""
