"""Use cases beside the grading that others build on: answers that are kept, deletion and retention, webhooks."""
