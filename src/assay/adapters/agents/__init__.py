"""Agents that Assay knows by name: descriptions, one file each, and where they are installed."""
