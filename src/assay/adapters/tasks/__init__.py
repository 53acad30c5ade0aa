"""Tasks in folders, and the files that trials and scorings of them need."""
