"""Answers for people and programs: tables, reports, cards, formats."""
