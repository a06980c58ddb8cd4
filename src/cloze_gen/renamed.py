"""External names of 0.1 and their names since 0.2.

Old keys of settings still work (`config`), old reasons of judgement files are still read, and
`scripts/renaming.py` proves that nothing but these names changed.
"""

from __future__ import annotations

from collections.abc import Mapping

# Keys of settings, as in a TOML file or after --set. The names of the other groups and keys are
# as in 0.1. No old key has different new keys in two styles.
SETTINGS: Mapping[str, str] = {
    "assembly.drawn_from": "assembly.oversampling",
    "blanks.edges": "blanks.allow_edges",
    "blanks.min_between": "blanks.min_gap",
    "choice.passes": "choice.swap_passes",
    "choice.slack": "choice.rank_tolerance",
    "focus.proper_names": "focus.allow_proper_names",
    "focus.turns": "focus.max_tries",
    "grooming.judged": "grooming.checks",
    "grooming.unjudged": "grooming.unjudged_policy",
    "held_out.models": "cross_fitting.groups",
    "networks.rate": "networks.learning_rate",
    "networks.readings": "networks.epochs",
    "networks.vector": "networks.vector_size",
    "passages.max_aimed_words": "passages.max_words",
    "passages.min_aimed_words": "passages.min_words",
    "places.alike_share": "places.similar_share",
    "places.min_takers": "places.min_accepting_share",
    "sentences.finite_verb": "sentences.require_finite_verb",
    "triggers.proper_names": "triggers.allow_proper_names",
}

# Reasons of rejection, and the state `taken_before` of an imported verdict. Two old names of one
# stage never have the same new name.
REASONS: Mapping[str, str] = {
    "another_word_of_the_sentence_serves": "other_target_chosen",
    "answer_class_not_asked": "answer_class_not_selected",
    "answer_to_no_candidate": "answer_without_candidate",
    "behind_the_head": "below_cutoff",
    "candidate_number_against_word": "candidate_number_mismatch",
    "context_too_little": "context_insufficient",
    "edge_of_the_passage": "edge_of_passage",
    "half_a_speech": "partial_speech",
    "holds_torn_sentence": "has_split_sentence",
    "judged_by_nobody": "not_judged",
    "led_to_by_what_precedes": "preceding_text_unfinished",
    "name_not_in_the_passage": "name_not_in_passage",
    "name_only_here": "name_only_in_sentence",
    "no_four_clear_and_worth_a_thought": "no_valid_impostor_set",
    "no_four_wrong_ones": "too_few_wrong_options",
    "not_as_listed": "differs_from_manifest",
    "not_guessed_by_another_reader": "not_guessed_by_second_reader",
    "not_looked_at": "beyond_pool",
    "one_sentence_a_line": "one_sentence_per_line",
    "other_focus_of_the_sentence_chosen": "other_target_chosen",
    "pair_beyond_the_size": "pair_beyond_vocabulary_size",
    "passage_holds_torn_sentence": "passage_has_split_sentence",
    "passage_thinned_out": "passage_not_sampled",
    "person_not_in_the_passage": "person_not_in_passage",
    "person_only_here": "person_only_in_sentence",
    "same_text_as_another": "duplicate_text",
    "sentence_ends_hanging": "sentence_incomplete",
    "sentence_holds_half_a_dialogue": "sentence_has_partial_dialogue",
    "sentence_runs_on_without_its_dash": "sentence_missing_dash",
    "sentence_tells_too_little": "sentence_too_short",
    "sentence_thinned_out": "sentence_not_sampled",
    "sentence_torn": "sentence_split_wrongly",
    "set_is_full": "beyond_n_passages",
    "speech_unlike_the_answers": "speech_differs_from_answers",
    "stands_in_the_passage": "already_in_passage",
    "taken_before": "already_taken",
    "target_not_letters_alone": "target_not_alphabetic",
    "thinned_out": "not_sampled",
    "too_few_words_inflect_alike": "too_few_matching_inflections",
    "too_little_content": "too_few_content_words",
    "vocabulary_unlike_reference": "vocabulary_differs_from_reference",
    "within_a_speech": "inside_speech",
    "word_frequent_or_unattested_or_name": "word_not_eligible",
}

# Rows and scores of an evaluation.
ROWS: Mapping[str, str] = {
    "adversary-all": "adversary-scores+ngrams+lsa",
    "adversary-five": "adversary-scores",
    "adversary-generating": "adversary-focus-model",
    "adversary-ngrams": "adversary-scores+ngrams",
    "generating": "focus-model",
    "generating-highest": "focus-model-highest",
    "generating-lowest": "focus-model-lowest",
}

# Columns of tables, and keys of facts and records, wherever they occur.
FIELDS: Mapping[str, str] = {
    "alone": "survival",
    "beside": "derived",
    "beside_another": "adjacent",
    "first_number": "first_token_index",
    "kept_although_overlapping": "kept_despite_overlap",
    "learnt_from": "trained_on",
    "looked_at": "examined",
    "not_asked": "not_shown",
    "place_asks_for": "place_requires",
    "sees": "input",
    "target_at": "target_position",
    "target_number": "target_token_index",
    "told": "accuracy",
    "separability": "auc",
    "way": "method",
    "ways": "variants",
}

# Files of an artifact.
FILES: Mapping[str, str] = {
    "beside_count.npy": "neighbour_count.npy",
    "beside_places.npy": "neighbour_places.npy",
    "beside_row.npy": "neighbour_row.npy",
    "beside_share.npy": "neighbour_share.npy",
    "beside_start.npy": "neighbour_start.npy",
    "held-out.tsv": "cross-fitting.tsv",
}
