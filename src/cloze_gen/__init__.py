"""Raw books in, cloze test sets out, every step on disk."""

__version__ = "0.1.0"
