"""Weights of the screen's model, written by `training/screen/fit.py`."""

from __future__ import annotations

from collections.abc import Mapping

WEIGHTS: Mapping[str, float] = {
    "constant": -3.1696,
    "similarity": 4.2948,
    "topicality": 0.8081,
    "fit_before": -0.0734,
    "fit_after": 0.1171,
    "beside_before": 0.2589,
    "beside_after": 0.2455,
    "topicality_gained": 0.2993,
    "fit_before_gained": 0.1879,
    "fit_after_gained": -0.0019,
    "beside_before_gained": 0.1160,
    "beside_after_gained": 0.2282,
    "noun": -0.0471,
    "verb": -0.4013,
    "adjective": 0.3965,
    "adverb": 0.5038,
    "attributive": 0.2949,
    "answer_topicality": -0.0789,
    "tokens": -0.2592,
    "place": -0.1304,
    "before_other": 0.2527,
    "before_subject": -0.2468,
    "before_have": 0.1045,
    "before_be": 0.1692,
    "before_infinitive": -0.1217,
    "before_article": -0.0571,
    "before_determiner": -0.1229,
    "before_bare": 0.0839,
    "after_open": 0.1951,
    "after_object": 0.0149,
    "after_clause": -0.2769,
    "after_closed": -0.1048,
    "after_finite": 0.0007,
}
