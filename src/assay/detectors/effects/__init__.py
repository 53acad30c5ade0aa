"""What a change does to a project's tests, found by running them: on other source, on mutants, unwatched."""
