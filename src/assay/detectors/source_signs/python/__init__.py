"""Signs in Python source, found by its own syntax tree."""
