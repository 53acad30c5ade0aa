"""The first minute: the overview of the commands, completion in shells, and the bundled examples."""
