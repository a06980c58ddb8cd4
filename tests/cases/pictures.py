"""A report's pictures as one constant SVG: drawing them takes most of a second a run.

As a program: `cloze-gen` with such pictures, for runs whose release is compared with one made in
the suite's own process.
"""

from contextlib import contextmanager

from matplotlib.figure import Figure

DRAW = Figure.savefig


def _constant(_figure, file, **_options):
    file.write('<svg viewBox="0 0 1 1"></svg>')


@contextmanager
def pictures(*, drawn):
    """Inside, pictures are drawn or constant."""
    before = Figure.savefig
    Figure.savefig = DRAW if drawn else _constant
    try:
        yield
    finally:
        Figure.savefig = before


if __name__ == "__main__":
    from cloze_gen.__main__ import main

    with pictures(drawn=False):
        main()
