"""The pages of the service: signing in, who may see what, and those that need more than reading runs.

A page is declared with ``routes.add`` and gets a ``ServiceCall``; ``all_pages.py`` lists the modules.
"""
