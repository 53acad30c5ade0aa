"""The service's data in the store. Every function takes the organisation that owns it."""
