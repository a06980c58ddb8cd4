"""Cloze test sets from raw books."""

__version__ = "0.2.0"
