"""What agents and language models say to each other: requests, answers, and the tokens that they count."""
