"""Spoken words as tokens that can be compared: numbers, contractions and punctuation made uniform."""
