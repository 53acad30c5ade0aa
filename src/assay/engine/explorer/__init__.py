"""Lists and pages of many runs, wherever they are kept."""
