"""Opinions of a language model: prompts as files, what an answer must look like, and how it is read.

What the model reads was written by those who are graded, so nothing that it answers is taken on trust.
"""
