"""What makes a change suspicious: test code that checks less, settings of runners, signs in source, secrets."""
