"""The one engine that reads test code in every language: trees of parts in, ``TestCode`` out.

A language is declared in ``languages``; nothing here knows one by its name.
"""
