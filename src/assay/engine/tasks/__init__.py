"""Tasks: load, describe, check and prepare them."""
