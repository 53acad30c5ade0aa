"""The scorers document: scenarios with their scorers, and reports with three independent gates."""
