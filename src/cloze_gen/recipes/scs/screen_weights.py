"""Weights of the screen's model, written by `training/screen/fit.py`."""

from __future__ import annotations

from collections.abc import Mapping

WEIGHTS: Mapping[str, float] = {
    "constant": -2.6836,
    "similarity": 4.6370,
    "noun": -0.0358,
    "verb": -0.3785,
    "adjective": 0.3184,
    "adverb": 0.5633,
    "attributive": 0.3385,
    "tokens": -0.2965,
    "place": -0.1224,
    "before_other": 0.2504,
    "before_subject": -0.3404,
    "before_have": 0.1032,
    "before_be": 0.1614,
    "before_infinitive": -0.0461,
    "before_article": 0.0106,
    "before_determiner": -0.1158,
    "before_bare": 0.0206,
    "after_open": 0.0714,
    "after_object": 0.0383,
    "after_clause": -0.2957,
    "after_closed": -0.0200,
    "after_finite": -0.0534,
}
