"""The machine around the service: workers, sandboxes, secrets, sources of tenants."""
