"""Trajectories as agents write them: harbor's ATIF, JSON lines of chat messages, and plain text."""
