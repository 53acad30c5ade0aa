"""What the service keeps in the store. Every function takes the organisation whose things are meant."""
