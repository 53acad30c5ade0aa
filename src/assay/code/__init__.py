"""Source code of every language as one small tree of expressions, and the one spelling of each expression.

It knows what operators bind and what brackets hold together. It knows nothing of tests, files or grammars.
"""
