from __future__ import annotations

import pytest

from cloze_gen.recipes.scs.places import places_of


@pytest.mark.parametrize(
    ("line", "word", "place"),
    [
        ("I/PRP travelled/VBD in/IN May/NNP ./.", "travelled", "verb 0 subject _ place+end"),
        (
            "He/PRP slowly/RB opened/VBD the/DT old/JJ door/NN ./.",
            "opened",
            "verb 0 subject _ noun+end",
        ),
        ("They/PRP made/VBD him/PRP go/VB ./.", "made", "verb 0 subject _ object+base"),
        ("They/PRP gave/VBD him/PRP a/DT pen/NN ./.", "gave", "verb 0 subject _ object+noun"),
        ("It/PRP seemed/VBD strange/JJ ./.", "seemed", "verb 0 pronoun _ adjective+end"),
        ("I/PRP think/VBP she/PRP knew/VBD ./.", "think", "verb 0 subject _ that+end"),
        (
            "Men/NNS whom/WP he/PRP never/RB liked/VBD came/VBD ./.",
            "liked",
            "verb 0 object _ finite+end",
        ),
        ("All/DT things/NNS he/PRP liked/VBD ./.", "liked", "verb 0 object _ end+end"),
        ("He/PRP drew/VBD back/RB the/DT cloth/NN ./.", "drew", "verb 0 subject _ particle+noun"),
        ("A/DT man/NN who/WP ran/VBD fell/VBD ./.", "man", "noun 0 a _ who"),
        ("He/PRP was/VBD often/RB beaten/VBN ./.", "beaten", "verb 1 be _ end+end"),
        ("He/PRP had/VBD often/RB slept/VBN ./.", "slept", "verb 0 have _ end+end"),
        ("The/DT broken/VBN lamp/NN fell/VBD ./.", "broken", "verb 2 the _ noun"),
        ("He/PRP went/VBD to/IN bed/NN ./.", "bed", "noun 0 place _ end"),
        ("The/DT old/JJ ,/, grey/JJ walls/NNS of/IN it/PRP ./.", "walls", "noun 1 the _ of"),
        ("He/PRP saw/VBD the/DT \"/`` lamp/NN \"/'' ./.", "lamp", "noun 0 the _ end"),
        ("He/PRP is/VBZ able/JJ to/TO go/VB ./.", "able", "adjective 0 be _ infinitive"),
        ("So/RB it/PRP was/VBD clearly/RB wrong/JJ ./.", "clearly", "adverb 0 be _ adjective"),
    ],
)
def test_a_place_is_told_by_what_stands_around_it(line, word, place):
    tokens, tags = zip(*(pair.rsplit("/", 1) for pair in line.split(" ")), strict=True)
    assert str(places_of(tokens, tags)[tokens.index(word)]) == place
