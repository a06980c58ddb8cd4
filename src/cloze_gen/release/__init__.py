"""Release files, cards, reports, and their verification."""
