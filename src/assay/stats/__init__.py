"""Statistics beside the documents' own: what a benchmark's numbers say about repeated attempts."""
