"""Workspaces of coding runs on disk, walked, hashed and compared without using the agent's git."""
