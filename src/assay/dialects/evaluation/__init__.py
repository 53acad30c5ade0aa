"""Evaluation: a verifier's artifacts become a validated EvaluationResult; rubrics; validity; annotations."""
