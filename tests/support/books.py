"""Books of a location, as a run lists them."""

from cloze_gen.corpus.scan import scan


def scan_corpus(location, *, notice=None):
    """The books, sorted by id; `notice` gets a line about each problem."""
    found = scan(location)
    if notice is not None:
        for line in found.skipped + found.notes:
            notice(f"{found.location}: {line}")
    return list(found.books)
