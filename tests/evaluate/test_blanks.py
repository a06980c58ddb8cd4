"""Tests of `cloze_gen.evaluation.blanks`."""

from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.evaluation.blank_baselines import (
    LanguageModelScorer,
    LsaScorer,
    OverlapScorer,
    PmiScorer,
    adjacent_sentences,
)
from cloze_gen.evaluation.blanks import (
    CONTEXTS,
    DECODERS,
    DRAWS,
    EXH,
    INC,
    AnswerCounts,
    BlankResult,
    BlankRow,
    Direction,
    blank_row,
    bootstrap_draws,
    context_results,
    context_scores,
    count_answers,
    decode,
    main_rows,
    matrix_results,
    measure,
    paired_difference,
    table_text,
)
from cloze_gen.evaluation.chance import chance_metrics
from cloze_gen.models.ngram_index import ForwardIndex, Level

# ---- asked


SENTENCES = (
    "Emma saw the lamp .",
    "It was lit , and Emma sat down .",
    '" Who is there ? " she asked .',
    "Nobody answered her .",
    "The lamp went out .",
    "She took the other lamp and lit it .",
    "There was Frank in the doorway .",
    '" I am here , " said Frank .',
)
DISTRACTORS = ("The ship was lit by a lamp .", "They are gone , and so is the ship .")
WORDS = sorted({token.casefold() for text in (*SENTENCES, *DISTRACTORS) for token in text.split()})


def language_model():
    words = ["<unk>", "<s>", "</s>", "<rare>", *WORDS[::2]]
    probs = np.linspace(-3, -1, len(words)).astype(np.float32)
    unigrams = Level(
        np.arange(len(words), dtype=np.uint64), probs, np.zeros(len(words), np.float32)
    )
    none = Level(np.array([7], np.uint64), np.array([-1.0], np.float32), np.zeros(1, np.float32))
    return LanguageModelScorer(
        ForwardIndex(words, [unigrams, none]), unknown="<rare>", unknown_types=9
    )


VECTORS = np.random.default_rng(1).normal(size=(len(WORDS), 4)).astype(np.float32)
SCORERS = {
    "pmi-1": lambda: PmiScorer([[sentence.split() for sentence in SENTENCES]], most=1),
    "pmi-2": lambda: PmiScorer([[sentence.split() for sentence in SENTENCES]], most=2),
    "overlap": OverlapScorer,
    "lsa": lambda: LsaScorer(VECTORS, {word: i for i, word in enumerate(WORDS)}),
    "language-model": language_model,
}


@pytest.fixture
def asked(ask):
    """Two blanks side by side open it, one closes it; what is left are the sentences 2, 3, 5 and 6."""
    return ask(" / ".join(SENTENCES), (0, 1, 4, 7), " / ".join(DISTRACTORS))


@pytest.fixture(params=list(SCORERS))
def scorer(request):
    return SCORERS[request.param]()


def test_what_does_not_exist_is_nan(scorer, asked):
    found = scorer.scores(asked)
    for direction, beside in adjacent_sentences(asked.passage).items():
        assert found[direction].shape == (4, 6)
        np.testing.assert_array_equal(np.isnan(found[direction]).all(axis=1), ~beside.any(axis=1))
        np.testing.assert_array_equal(np.isnan(found[direction]).any(axis=1), ~beside.any(axis=1))


def test_it_tells_candidates_apart(scorer, asked):
    """A constant would satisfy all other properties here."""
    assert all(
        (np.nanstd(rows[~np.isnan(rows).any(axis=1)], axis=1) > 0).any()
        for rows in scorer.scores(asked).values()
    )


def test_what_stands_in_blanks_is_not_seen(scorer, asked):
    hidden = tuple(
        ("Frank", "took", "the", "lamp") if i in asked.passage.blanks else said
        for i, said in enumerate(asked.sentences)
    )
    other, own = scorer.scores(replace(asked, sentences=hidden)), scorer.scores(asked)
    for direction in own:
        np.testing.assert_array_equal(other[direction], own[direction])


def test_the_answers_are_not_seen(scorer, asked):
    """Neither are the answers as the record has them."""
    other = scorer.scores(replace(asked, passage=replace(asked.passage, answers=(3, 5, 0, 1))))
    for direction, own in scorer.scores(asked).items():
        np.testing.assert_array_equal(other[direction], own)


def test_permuted_candidates_have_permuted_scores(scorer, asked):
    """A candidate's scores do not depend on where it is printed."""
    order = [4, 2, 0, 5, 3, 1]
    other = scorer.scores(replace(asked, candidates=tuple(asked.candidates[i] for i in order)))
    for direction, own in scorer.scores(asked).items():
        np.testing.assert_array_equal(other[direction], own[:, order])


# ---- contexts


def test_two_sides_are_their_mean(tell):
    told = tell((1, 2), P={(0, 0): 1.0}, N={(0, 0): 0.5, (0, 1): 2.0}, AP={(0, 1): 8.0}, AN={})
    assert {
        context: found.tolist()
        for context in CONTEXTS
        if (found := context_scores(told, context)) is not None
    } == {
        "P": [[1.0, 0.0]],
        "N": [[0.5, 2.0]],
        "AP": [[0.0, 8.0]],
        "AN": [[0.0, 0.0]],
        "P+N": [[0.75, 1.0]],
        "AP+AN": [[0.0, 4.0]],
    }


def test_a_blank_is_answered_from_the_side_that_it_has(tell):
    told = tell((2, 2), {"P": (0, 1), "N": (1,)}, P={}, N={(0, 1): 3.0})
    found = context_scores(told, "P+N")
    assert found is not None
    assert found.tolist() == [[0.0, 3.0], [0.0, 0.0]]


def test_a_context_needs_all_its_directions(tell):
    """A scorer that looks back alone has no row of both sides."""
    told = tell((1, 2), AP={(0, 0): 1.0})
    assert [context for context in CONTEXTS if context_scores(told, context) is not None] == ["AP"]


def test_no_side_of_a_blank_holds_a_blank(passage):
    beside = adjacent_sentences(passage)
    read = {
        str(direction): [
            [passage.sentences[i] for i in np.flatnonzero(row)] for row in np.atleast_2d(rows)
        ]
        for direction, rows in beside.items()
    }
    assert read == {
        "P": [[], [], ["Tea."], ["Milk."], ["Milk."]],
        "N": [["Tea."], ["Tea."], ["Milk."], ["Rum."], ["Rum."]],
        "AP": [[], [], ["Tea."], ["Tea.", "Milk."], ["Tea.", "Milk."]],
        "AN": [
            ["Tea.", "Milk.", "Rum."],
            ["Tea.", "Milk.", "Rum."],
            ["Milk.", "Rum."],
            ["Rum."],
            ["Rum."],
        ],
    }


# ---- decoding


def test_left_to_right_is_as_a_reader_reads(passage):
    """Blank 2 opens the passage and takes the candidate that both prefer."""
    scores = np.zeros((5, 7))
    scores[0, 4], scores[1, 4], scores[0, 5] = 1.0, 0.9, 0.05
    assert decode(passage, scores, INC).tolist() == [5, 4, 0, 1, 2]
    assert decode(passage, scores, EXH).tolist()[0] == 4


@pytest.mark.parametrize("decoder", DECODERS)
def test_a_scorer_that_knows_the_key_is_right(passage, decoder):
    """Whatever the order of the blanks, 1 for the answers and 0 for the rest gives the answers."""
    scores = np.zeros((5, 7))
    scores[np.arange(5), passage.answers] = 1.0
    assert tuple(decode(passage, scores, decoder).tolist()) == passage.answers


# ---- metrics


def counts(right, *, blanks=5):
    return AnswerCounts(np.full(len(right), blanks), np.array(right), blanks - np.array(right))


def test_answers_are_compared_blank_by_blank(passage):
    """An answer in another blank is wrong and no distractor; a distractor is counted as one."""
    found = count_answers([passage] * 3, [passage.answers, (4, 6, 1, 0, 2), (3, 6, 0, 5, 2)])
    assert found.right.tolist() == [5, 3, 3]
    assert found.distractors.tolist() == [0, 0, 2]


def test_the_papers_average_is_over_passages():
    """A passage of two blanks counts as much as one of ten; over blanks the large one counts more."""
    found = measure(
        AnswerCounts(np.array([2, 10]), np.array([2, 2]), np.array([0, 3])),
        bootstrap_draws(2, seed=1),
    )
    assert (found.ba, found.ba_micro, found.pa, found.de) == (
        pytest.approx(0.6),
        pytest.approx(4 / 12),
        0.5,
        1.5,
    )
    assert (found.n, found.blanks) == (2, 12)


def test_intervals_hold_what_they_should():
    """About 95 % of the intervals, over many sets of 100 passages."""
    rng = np.random.default_rng(3)
    draws = bootstrap_draws(100, seed=1)
    held = 0
    for _ in range(200):
        row = measure(counts(list(rng.binomial(5, 0.4, size=100))), draws)
        held += row.ba_low <= 0.4 <= row.ba_high
    assert 180 <= held <= 198


def test_a_sample_draws_as_many_passages_as_there_are():
    """Each of the samples holds n passages; the seed alone says which."""
    draws = bootstrap_draws(7, seed=1)
    assert draws.shape == (DRAWS, 7)
    assert set(draws.sum(axis=1)) == {7.0}
    assert np.array_equal(draws, bootstrap_draws(7, seed=1))
    assert not np.array_equal(draws, bootstrap_draws(7, seed=2))


def test_a_difference_is_paired():
    """Two answer lists that share their luck differ surely, although their own intervals overlap."""
    luck = [0, 1, 2, 3, 4] * 3
    draws = bootstrap_draws(15, seed=1)
    one, other = counts(luck), counts([right + 1 for right in luck])
    assert measure(one, draws).ba_high > measure(other, draws).ba_low
    assert paired_difference(one, other, draws) == pytest.approx((0.2, 0.2, 0.2))
    gained, low, high = paired_difference(one, counts(luck[::-1]), draws)
    assert gained == pytest.approx(0.0)
    assert low < 0 < high


# ---- blanks


TOLD = ("told", "surface", "")


def test_every_context_and_decoder_is_a_row(passage, tell):
    """What looks both ways has six contexts, each decoded twice; what looks back alone has two."""
    draws = bootstrap_draws(2, seed=1)
    both = tell((5, 7), P={}, N={}, AP={}, AN={})
    rows = list(context_results(TOLD, [passage] * 2, [both, both], draws))
    assert [(one.row.context, one.row.decoder) for one in rows] == [
        (context, decoder)
        for context in ("P", "N", "AP", "AN", "P+N", "AP+AN")
        for decoder in ("INC", "EXH")
    ]
    back = tell((5, 7), P={}, AP={})
    assert {one.row.context for one in context_results(TOLD, [passage], [back], draws[:, :1])} == {
        "P",
        "AP",
    }


def test_a_context_that_one_passage_lacks_is_no_row(passage, tell):
    """Rows are of the same passages, or they would not compare."""
    scores = [tell((5, 7), P={}, N={}), tell((5, 7), P={})]
    assert {
        one.row.context
        for one in context_results(TOLD, [passage] * 2, scores, bootstrap_draws(2, seed=1))
    } == {"P"}


def test_predictions_tell_what_was_chosen(passage):
    scores = np.zeros((5, 7))
    for blank, candidate in enumerate((4, 5, 0, 3, 2)):
        scores[blank, candidate] = 1.0
    *_, joint = matrix_results(TOLD, [passage], [scores], bootstrap_draws(1, seed=1))
    assert list(joint.predictions()) == [
        {
            "baseline": "told",
            "id": "b:0",
            "context": "",
            "decoder": "EXH",
            "answers": [4, 5, 0, 3, 2],
            "right": [True, False, True, False, True],
            "distractors": [5, 3],
        }
    ]
    assert list(BlankResult(blank_row(TOLD, chance_metrics([passage]))).predictions()) == []


# ---- table


FIELDS = (
    "name kind source context decoder n blanks ba ba_low ba_high ba_micro pa pa_low pa_high de "
    "de_low de_high"
).split()


def test_tables_are_those_of_the_paper(passage, tell):
    draws = bootstrap_draws(1, seed=1)
    key = dict.fromkeys(enumerate(passage.answers), 1.0)
    both = tell((5, 7), P={}, N=key, AP={}, AN=key)
    back = tell((5, 7), P=key, AP={})
    results = [
        BlankResult(blank_row(("random", "random", ""), chance_metrics([passage]))),
        *context_results(("both", "model", ""), [passage], [both], draws),
        *context_results(("back", "model", ""), [passage], [back], draws),
        *matrix_results(("user:mine", "user", ""), [passage], [back[Direction.P]], draws),
    ]
    rows = [one.row for one in results]
    assert all(one.row.model_fields_set == set(FIELDS) for one in results)
    assert [BlankRow.model_validate_json(row.model_dump_json()) for row in rows] == rows
    assert [(row.name, row.context, row.decoder) for row in main_rows(rows)] == [
        ("random", "", ""), ("both", "AP+AN", "EXH"), ("back", "AP", "EXH"), ("user:mine", "", "EXH"),
    ]  # fmt: skip
    head, *lines = table_text(rows).splitlines()
    assert head.split()[:3] == ["baseline", "context", "BA"]
    assert lines[0].split()[:3] == ["random", "-", "14.29"]
    assert lines[1].split()[:3] == ["both", "AP+AN", "100.00"]
    assert lines[5].split() == ["BA/PA", "%", "P", "N", "AP", "AN", "P+N", "AP+AN"]
    (line,) = (line for line in lines if line.startswith("back + EXH"))
    assert line.split()[3:] == ["100.0/100.0", "-", "0.0/0.0", "-", "-", "-"]
    assert not [line for line in lines[6:] if "user" in line or "random" in line]
