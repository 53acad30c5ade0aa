"""Defects that are planted into tasks without any, to count how many of them ``assay tasks check`` finds."""
