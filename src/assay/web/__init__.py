"""Pages for a browser, rendered here. They compute nothing: every number comes from a report or a record."""
