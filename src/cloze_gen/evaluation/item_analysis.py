"""Item analysis: difficulty, discrimination and suspicion of each item from many models' choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, logsumexp

from cloze_gen.errors import UsageError
from cloze_gen.evaluation.chance import chance_accuracy
from cloze_gen.evaluation.metrics import clustered_margin, wilson_interval
from cloze_gen.evaluation.rows import Recorded
from cloze_gen.text_layout import printable

MISSING, NO_OPTION = -1, -2  # choices: the model was not asked; its answer is none of the options
LEAST_MODELS = 3
LEAST_MODELS_2PL = 10
SUSPECT = 0.1  # least posterior probability of a suspect item

_FAULT_PRIOR = 0.01  # of a wrong key, and of two right options; of the only fault of open items
_FLIPPED_PRIOR = 0.001  # with options: the rarest fault, and the easiest to see by chance
_SPLIT = 10.0  # Beta(10, 10): how strong models divide between two right answers
_CONCENTRATIONS = (0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0)
_NODES = np.linspace(-4, 4, 33)  # standard deviations of difficulty
_NODE_LOG_WEIGHTS = -(_NODES**2) / 2 - logsumexp(-(_NODES**2) / 2)
_ABILITIES = np.linspace(-8, 8, 321)  # logits
_ABILITY_SD = 3.0
_ROUNDS = 100
_SLOPES = np.geomspace(0.1, 5, 25)
_SLOPE_SD = 0.5  # of the log slope


@dataclass(frozen=True, slots=True, eq=False)
class ItemSet:
    """Items with a key. `open_ended`: a model is right or wrong; the options are these two.

    Attributes:
        answers: index of the key among the options.
        books: of each item; empty if unknown.
    """

    ids: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]
    answers: NDArray[np.int64]
    books: tuple[str, ...]
    noun: str
    open_ended: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ModelChoices:
    """One model's option on each item, `MISSING` or `NO_OPTION`.

    `key_prob`: softmax over its log-probabilities of the options, at the key; NaN if unknown.
    """

    name: str
    choices: NDArray[np.int64]
    key_prob: NDArray[np.float64]


class ModelFigures(Recorded):
    """`low`, `high`: Wilson's 95 % interval; `ability`: logits above the mean difficulty."""

    name: str
    n: int
    right: int
    accuracy: float
    low: float
    high: float
    book_margin: float | None
    ability: float


class ItemFigures(Recorded):
    """One item.

    Attributes:
        n_models: models with an answer.
        difficulty: share of them that are right.
        item_rest: correlation of being right here with the share right on all other items.
        discrimination, location: 2PL; 1 is the average item; logits. None below
            `LEAST_MODELS_2PL` models.
        key_probability: mean over models with log-probabilities, from 0 (chance) to 1; below 0 if
            the key is less probable than at chance.
        rival, rival_models: the wrong option that most models choose, and their number.
        suspicion: posterior probability of a fault; `log_odds` sorts where it rounds to 0 or 1.
        reason: why the item is suspect; empty below `SUSPECT`.
    """

    id: str
    n_models: int
    difficulty: float | None
    item_rest: float | None
    discrimination: float | None
    location: float | None
    key_probability: float | None
    rival: str
    rival_models: int
    suspicion: float
    log_odds: float
    reason: str

    @property
    def is_suspect(self) -> bool:
        return self.suspicion >= SUSPECT


@dataclass(frozen=True, slots=True)
class ItemAnalysis:
    """`suspects`: most suspect first; `spread`: standard deviation of difficulty, logits."""

    models: tuple[ModelFigures, ...]
    items: tuple[ItemFigures, ...]
    spread: float

    @property
    def suspects(self) -> list[ItemFigures]:
        found = (one for one in self.items if one.is_suspect)
        return sorted(found, key=lambda one: -one.log_odds)


def analyse(items: ItemSet, models: Sequence[ModelChoices]) -> ItemAnalysis:
    """Figures of all items and models; UsageError for fewer than `LEAST_MODELS` models.

    A model of ability t is right on an item of difficulty b with probability
    ``c + (1 - c) logistic(t - b)``, where c is chance and b is normal. Abilities and the spread of b
    maximise the marginal likelihood (EM; Bock and Aitkin 1981). The wrong options of an item have a
    Dirichlet prior, whose concentration also maximises the likelihood: popular wrong options are
    normal. Bayes' rule then compares the key with three faults: another option is the key, another
    option is right too, or weak models are right and strong ones wrong.
    """
    if len(models) < LEAST_MODELS:
        raise UsageError(
            f"--items: {len(models)} models; item analysis needs at least {LEAST_MODELS}. Add logs "
            "of other models."
        )
    choices = np.stack([one.choices for one in models], axis=1)
    answers, counts = items.answers, np.array([len(one) for one in items.options])
    right = choices == answers[:, None]
    present = choices != MISSING
    chance = np.zeros(len(counts)) if items.open_ended else 1 / counts
    ability, spread = _fit(right, present, chance)
    faults = _Faults(choices, answers, counts, chance, ability, spread)
    log_odds = faults.flipped(_FAULT_PRIOR) if items.open_ended else faults.all()
    slope, location = (
        _two_parameters(right, present, chance, ability, spread)
        if len(models) >= LEAST_MODELS_2PL
        else (None, None)
    )
    item_rest = item_rest_correlations(right, present)
    key_prob = _above_chance(np.stack([one.key_prob for one in models], axis=1), chance)
    strong = ability >= np.median(ability)
    found = []
    for i, item_id in enumerate(items.ids):
        odds = log_odds[:, i]
        total = float(logsumexp(odds))
        suspicion = float(expit(total))
        votes = np.bincount(choices[i][choices[i] >= 0], minlength=counts[i])
        others = np.where(np.arange(len(votes)) == answers[i], -1, votes)
        rival = int(others.argmax())
        n = int(present[i].sum())
        kind = int(odds.argmax())
        reason = ""
        if suspicion >= SUSPECT:
            other = int(faults.likeliest(kind)[i])
            reason = _reason(kind, items, i, choices[i][strong & present[i]], other)
        found.append(
            ItemFigures(
                id=item_id, n_models=n, difficulty=float(right[i].sum() / n) if n else None, item_rest=_finite(item_rest[i]),
                discrimination=None if slope is None else round(float(slope[i]), 3),
                location=None if location is None else round(float(location[i]), 3), key_probability=_finite(key_prob[i]),
                rival=items.options[i][rival] if others[rival] > 0 else "", rival_models=max(0, int(others[rival])),
                suspicion=round(suspicion, 4), log_odds=round(total, 3), reason=reason,
            )
        )  # fmt: skip
    return ItemAnalysis(
        tuple(model_figures(one, items, float(t)) for one, t in zip(models, ability, strict=True)),
        tuple(found),
        spread,
    )


def model_figures(model: ModelChoices, items: ItemSet, ability: float) -> ModelFigures:
    asked = model.choices != MISSING
    right = (model.choices == items.answers)[asked]
    low, high = wilson_interval(int(right.sum()), len(right))
    books = [book for book, one in zip(items.books, asked, strict=True) if one]
    return ModelFigures(
        name=model.name, n=len(right), right=int(right.sum()), accuracy=float(right.mean()), low=low, high=high,
        book_margin=clustered_margin(right, books), ability=round(ability, 3),
    )  # fmt: skip


def item_rest_correlations(
    right: NDArray[np.bool_], present: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Corrected point-biserial correlation per item; NaN if the item or the rest does not vary.

    Args:
        right, present: shape (items, models).

    >>> right = np.array([[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 0, 0]], bool)
    >>> item_rest_correlations(right, np.ones_like(right)).round(2).tolist()
    [-0.58, nan, -0.9]
    """
    hits = (right & present).astype(np.float64)
    others = present.sum(axis=0) - present
    rest = (hits.sum(axis=0) - hits) / np.where(others, others, 1)
    n = np.maximum(1, present.sum(axis=1, keepdims=True))
    hits_less = np.where(present, hits - hits.sum(axis=1, keepdims=True) / n, 0)
    rest_less = np.where(present, rest - (rest * present).sum(axis=1, keepdims=True) / n, 0)
    scale = np.sqrt((hits_less**2).sum(axis=1) * (rest_less**2).sum(axis=1))
    varies = scale > 1e-12
    return np.where(
        varies, (hits_less * rest_less).sum(axis=1) / np.where(varies, scale, 1), np.nan
    )


def _finite(value: float) -> float | None:
    return round(float(value), 4) if np.isfinite(value) else None


def _above_chance(
    key_prob: NDArray[np.float64], chance: NDArray[np.float64]
) -> NDArray[np.float64]:
    known = ~np.isnan(key_prob)
    n = known.sum(axis=1)
    mean = np.where(known, key_prob, 0).sum(axis=1) / np.where(n, n, 1)
    return np.where(n > 0, (mean - chance) / (1 - chance), np.nan)


def _log_probs(
    ability: NDArray[np.float64], difficulty: NDArray[np.float64], chance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """ln P(right) and ln P(wrong), shape (difficulties, models)."""
    p = chance + (1 - chance) * expit(ability[None, :] - difficulty[:, None])
    p = np.clip(p, 1e-9, 1 - 1e-9)
    return np.log(p), np.log1p(-p)


def _at_nodes(
    hits: NDArray[np.float64], misses: NDArray[np.float64], chance: NDArray[np.float64], ability: NDArray[np.float64], spread: float
) -> NDArray[np.float64]:  # fmt: skip
    """ln P(responses, node) of each item, shape (items, nodes); items of equal chance at once."""
    found = np.empty((len(hits), len(_NODES)))
    for one in np.unique(chance):
        of = chance == one
        log_right, log_wrong = _log_probs(ability, _NODES * spread, float(one))
        found[of] = hits[of] @ log_right.T + misses[of] @ log_wrong.T
    return found + _NODE_LOG_WEIGHTS


def _fit(
    right: NDArray[np.bool_], present: NDArray[np.bool_], chance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Abilities, with a normal prior, and the spread of difficulties."""
    ability, spread = np.zeros(right.shape[1]), 1.5
    hits, misses = (right & present).astype(np.float64), (~right & present).astype(np.float64)
    for _ in range(_ROUNDS):
        joint = _at_nodes(hits, misses, chance, ability, spread)
        posterior = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        value = np.repeat(-(_ABILITIES[:, None] ** 2) / (2 * _ABILITY_SD**2), len(ability), axis=1)
        for one in np.unique(chance):
            of = chance == one
            log_right, log_wrong = _log_probs(_ABILITIES, _NODES * spread, float(one))
            value += log_right.T @ (posterior[of].T @ hits[of])
            value += log_wrong.T @ (posterior[of].T @ misses[of])
        new = _ABILITIES[value.argmax(axis=0)]
        wider = max(0.3, float(np.sqrt((posterior @ (_NODES * spread) ** 2).mean())))
        done = np.array_equal(new, ability) and abs(wider - spread) < 1e-3
        ability, spread = new, wider
        if done:
            break
    return ability, spread


def _two_parameters(
    right: NDArray[np.bool_], present: NDArray[np.bool_], chance: NDArray[np.float64], ability: NDArray[np.float64], spread: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # fmt: skip
    """Posterior means of slope and location, given the abilities; the log slope is N(0, 0.5)."""
    slope, location = np.empty(len(right)), np.empty(len(right))
    hits, misses = (right & present).astype(np.float64), (~right & present).astype(np.float64)
    prior = -(np.log(_SLOPES) ** 2) / (2 * _SLOPE_SD**2)
    for one in np.unique(chance):
        of = np.flatnonzero(chance == one)
        weight, slopes, locations = (np.zeros(len(of)) for _ in range(3))
        best = np.full(len(of), -np.inf)
        joints = []
        for a, log_prior in zip(_SLOPES, prior, strict=True):
            log_right, log_wrong = _log_probs(a * ability, a * _NODES * spread, float(one))
            joint = hits[of] @ log_right.T + misses[of] @ log_wrong.T + _NODE_LOG_WEIGHTS
            joints.append(joint + log_prior)
            best = np.maximum(best, joints[-1].max(axis=1))
        for a, joint in zip(_SLOPES, joints, strict=True):
            share = np.exp(joint - best[:, None])
            weight += share.sum(axis=1)
            slopes += a * share.sum(axis=1)
            locations += share @ (_NODES * spread)
        slope[of], location[of] = slopes / weight, locations / weight
    return slope, location


# ---- Faults, in the order of `_Faults.all`

_WRONG_KEY, _TWO_RIGHT, _FLIPPED = range(3)


class _Faults:
    """Log odds of each fault against the declared key."""

    def __init__(
        self, choices: NDArray[np.int64], answers: NDArray[np.int64], counts: NDArray[np.int64], chance: NDArray[np.float64],
        ability: NDArray[np.float64], spread: float,
    ) -> None:  # fmt: skip
        self.present, self.answers = choices != MISSING, answers
        self.model = chance, ability, spread
        self.rows, self.places = np.arange(len(answers)), np.arange(int(counts.max()))
        self.chose = choices[:, :, None] == self.places  # (items, models, options)
        self.votes = self.chose.sum(axis=1)
        self.valid = self.places < counts[:, None]
        self.n_wrong = counts - 1
        totals = {a: self._one_key(answers, a) for a in _CONCENTRATIONS}
        self.concentration = max(totals, key=lambda a: float(totals[a].sum()))
        self.declared = totals[self.concentration]
        self.by_option = [np.full(self.valid.shape, -np.inf) for _ in range(2)]

    def all(self) -> NDArray[np.float64]:
        """Shape (3, items)."""
        for option in self.places:
            other = np.full_like(self.answers, option)
            possible = self.valid[:, option] & (self.answers != option)
            for found, value in (
                (self.by_option[_WRONG_KEY], self._one_key(other, self.concentration)),
                (self.by_option[_TWO_RIGHT], self._two_keys(other)),
            ):
                found[possible, option] = value[possible]
        prior = np.log(_FAULT_PRIOR) - np.log(np.maximum(1, self.n_wrong))
        odds = [prior + logsumexp(found, axis=1) - self.declared for found in self.by_option]
        return np.stack([*odds, self.flipped(_FLIPPED_PRIOR)[_FLIPPED]])

    def flipped(self, prior: float) -> NDArray[np.float64]:
        """Only the last fault: abilities mirrored at their mean."""
        ability = self.model[1]
        hits = self._hits(self.answers)
        mirrored = self._marginal(hits, 2 * ability.mean() - ability)
        odds = np.log(prior) + mirrored - self._marginal(hits, ability)
        none = np.full(len(odds), -np.inf)
        return np.stack([none, none, odds])

    def likeliest(self, kind: int) -> NDArray[np.int64]:
        """The option that the fault is about."""
        by_option = self.by_option[kind if kind != _FLIPPED else _WRONG_KEY]
        return np.asarray(by_option.argmax(axis=1))

    def _hits(self, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.take_along_axis(self.chose, keys[:, None, None], axis=2)[:, :, 0]

    def _marginal(
        self, hits: NDArray[np.bool_], ability: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        chance, _, spread = self.model
        misses = self.present & ~hits
        joint = _at_nodes(
            hits.astype(np.float64), misses.astype(np.float64), chance, ability, spread
        )
        return np.asarray(logsumexp(joint, axis=1))

    def _one_key(self, keys: NDArray[np.int64], concentration: float) -> NDArray[np.float64]:
        wrong = self.valid & (self.places != keys[:, None])
        return self._marginal(self._hits(keys), self.model[1]) + _dirichlet_multinomial(
            self.votes, wrong, concentration
        )

    def _two_keys(self, others: NDArray[np.int64]) -> NDArray[np.float64]:
        hits = self._hits(self.answers) | self._hits(others)
        keys = (self.places == self.answers[:, None]) | (self.places == others[:, None])
        return (
            self._marginal(hits, self.model[1])
            + _dirichlet_multinomial(self.votes, keys, _SPLIT)
            + _dirichlet_multinomial(self.votes, self.valid & ~keys, self.concentration)
        )


def _dirichlet_multinomial(
    votes: NDArray[np.int64], of: NDArray[np.bool_], concentration: float
) -> NDArray[np.float64]:
    """ln P(sequence of votes among the options `of`), their shares integrated out."""
    total = concentration * of.sum(axis=1)
    each = np.where(of, gammaln(concentration + votes) - gammaln(concentration), 0).sum(axis=1)
    cast = np.where(of, votes, 0).sum(axis=1)
    empty = total == 0
    total = np.where(empty, 1.0, total)
    return np.where(empty, 0.0, gammaln(total) - gammaln(total + cast) + each)


def _reason(kind: int, items: ItemSet, i: int, strong: NDArray[np.int64], other: int) -> str:
    n, key = len(strong), int(items.answers[i])
    for_other, for_key = int((strong == other).sum()), int((strong == key).sum())
    word, own = printable(items.options[i][other]), printable(items.options[i][key])
    if kind == _WRONG_KEY:
        whether = "most" if 2 * for_other > n else "more"
        return f"{whether} strong models choose {word} ({for_other} of {n}; the key: {for_key})"
    if kind == _TWO_RIGHT:
        return (
            f"two options share the votes of the strong models: {own} {for_key}, {word} "
            f"{for_other} of {n}"
        )
    return f"weak models are right more often than strong ones (strong: {for_key} of {n})"


# ---- Blind controls


class BlindFigures(Recorded):
    """A model on the set, or on a control that hides the sentence.

    Attributes:
        n: items that both logs answer.
        above_chance, above_low, above_high: accuracy less chance, with a 95 % interval.
        unchanged, unchanged_low, unchanged_high: share of items with the same choice as on the set;
            None for the set itself.
    """

    name: str
    n: int
    accuracy: float
    low: float
    high: float
    chance: float
    above_chance: float
    above_low: float
    above_high: float
    unchanged: float | None = None
    unchanged_low: float | None = None
    unchanged_high: float | None = None


def compare_blind(
    items: ItemSet, model: ModelChoices, blind: Sequence[ModelChoices]
) -> list[BlindFigures]:
    """The model on the set, then on each control, over the items that all logs answer."""
    asked = np.logical_and.reduce([one.choices != MISSING for one in (model, *blind)])
    if not asked.any():
        raise UsageError("--blind: no item is answered in all logs; give logs of the same set")
    n = int(asked.sum())
    counts = [len(options) for options, one in zip(items.options, asked, strict=True) if one]
    chance = chance_accuracy(counts)
    found = []
    for one in (model, *blind):
        right = int((one.choices == items.answers)[asked].sum())
        low, high = wilson_interval(right, n)
        same: dict[str, float] = {}
        if one is not model:
            kept = int((one.choices == model.choices)[asked].sum())
            same_low, same_high = wilson_interval(kept, n)
            same = {
                "unchanged": kept / n,
                "unchanged_low": same_low,
                "unchanged_high": same_high,
            }
        found.append(
            BlindFigures(
                name=one.name, n=n, accuracy=right / n, low=low, high=high, chance=chance, above_chance=right / n - chance,
                above_low=low - chance, above_high=high - chance, **same,
            )
        )  # fmt: skip
    return found
