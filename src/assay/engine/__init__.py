"""The use cases, and the ports that they need."""
