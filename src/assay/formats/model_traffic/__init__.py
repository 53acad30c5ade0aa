"""Messages between agents and language models: requests, answers, and the tokens that they count."""
