"""Language models: as judges, and behind the proxy that agents use."""
