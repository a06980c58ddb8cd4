"""The figures of Kong et al. 2020, for the report."""

from __future__ import annotations

from collections.abc import Iterator

from cloze_gen.release.paper_figures import BlankFigure, BlankTable

OWN, RANDOM, NONE = "own", "random", "none"  # distractors
FULL, JOINT = "AP+AN", "EXH"  # context and decoder
_PMI = "pmi-2"
_CONTEXTS = ("P", "N", "AP", "AN", "P+N", "AP+AN")

# Table 6: model; decoder; BA and PA in percent, by context
_BY_CONTEXT = """
BERT, as it is;   INC;  33.0 2.1;  34.7 4.1;  29.8  2.1;  15.7  0.3;  34.7  2.3;  27.3  1.4
BERT, as it is;   EXH;  34.2 3.2;  40.2 4.7;  31.5  2.6;  14.7  0.0;  40.2  4.7;  36.9  3.5
BERT, finetuned;  INC;  44.3 6.8;  48.0 9.6;  50.4  9.9;  56.9 16.1;  61.0 20.4;  66.6 25.1
BERT, finetuned;  EXH;  47.2 8.5;  54.2 11.2; 60.0 17.5;  60.0 17.5;  66.5 25.2;  71.7 29.9
PMI_2;            INC;  23.4 1.2;  24.4 1.5;  16.2  0.3;  17.5  0.1;  26.2  1.7;  17.1  0.0
PMI_2;            EXH;  24.7 1.5;  28.2 1.5;  20.6  0.9;  13.3  0.0;  29.7  2.6;  25.2  0.6
"""
# Table 5: (label, baseline of ours, BA and PA in percent)
_FULL_CONTEXT = (
    ("Transformer-XL", "", 32.3, 2.6),
    ("PMI_2, as Table 5 has it", _PMI, 29.8, 8.4),
    ("COHERE", "", 23.3, 1.1),
    ("INFST", "", 55.8, 18.4),
)
# Table 7: (label, context, BA and PA without distractors, with random ones)
_OTHER_DISTRACTORS = (
    # with the teachers' distractors, Table 6 has 40.2 / 4.7 for P+N (and N), not for AP+AN
    ("BERT, as it is", "P+N", (47.4, 17.2), (44.6, 12.4)),
    ("Transformer-XL", FULL, (39.7, 9.1), (36.0, 6.8)),
    ("BERT, finetuned", FULL, (80.9, 62.0), (77.9, 50.9)),
)
# Table 9: distractor error
_ERRORS = {("BERT, finetuned", FULL, JOINT): 0.661, ("PMI_2", FULL, JOINT): 1.204}


def _figures() -> Iterator[BlankFigure]:
    yield BlankFigure("People", "", "", 0.871, 0.563, 0.375, OWN, "human", "Tables 5 and 9")
    for label, baseline, ba, pa in _FULL_CONTEXT:
        yield BlankFigure(label, FULL, JOINT, ba / 100, pa / 100, None, OWN, baseline, "Table 5")
    for line in _BY_CONTEXT.strip().splitlines():
        label, decoder, *pairs = (cell.strip() for cell in line.split(";"))
        for context, pair in zip(_CONTEXTS, pairs, strict=True):
            ba, pa = map(float, pair.split())
            error = _ERRORS.get((label, context, decoder))
            table = "Tables 6 and 9" if error else "Table 6"
            yield BlankFigure(
                label,
                context,
                decoder,
                ba / 100,
                pa / 100,
                error,
                OWN,
                _PMI if label == "PMI_2" else "",
                table,
            )
    for label, context, without, at_random in _OTHER_DISTRACTORS:
        for distractors, (ba, pa) in ((NONE, without), (RANDOM, at_random)):
            yield BlankFigure(
                label, context, JOINT, ba / 100, pa / 100, None, distractors, "", "Table 7"
            )
    yield BlankFigure("Uniform", "", "", None, None, 1.429, OWN, "random", "Table 9")


SCDE_TABLES = BlankTable("Kong et al. 2020, Tables 5, 6, 7 and 9", tuple(_figures()))
