"""Run jobs: plan, trials, verifiers, results; and grade finished trials again."""
