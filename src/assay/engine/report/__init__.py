"""Reports about jobs: numbers with their intervals, comparisons, audits."""
