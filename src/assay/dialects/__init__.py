"""The wire words and edge rules of the documents. Dialects do not import each other."""
