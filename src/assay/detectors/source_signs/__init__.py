"""Signs in code that somebody wants to pass tests without doing the work, by language. A sign is no proof."""
