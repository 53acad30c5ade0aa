"""Rules about fields: a path, what is expected there, and how to compare. The same for every kind of data."""
