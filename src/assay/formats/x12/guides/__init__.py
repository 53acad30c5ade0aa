"""The loop tables of the transaction sets that are known."""
