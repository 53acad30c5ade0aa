"""Pure parsers of foreign text."""
