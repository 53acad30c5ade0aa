"""A change's effects on a project's tests, found by running them: on other source, on mutants, unwatched."""
