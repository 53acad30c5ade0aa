"""Reports that test runners write: which tests ran, and how each ended."""
