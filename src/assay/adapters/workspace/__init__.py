"""Workspaces of coding runs on disk: walked, hashed and compared by us, without any git of the agent's."""
