"""Augment treebank sentences to look like the books: capitals, dashes, quotes, archaic words.

Every token keeps a gold tag; only these rewrites are added to the treebank.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

Tokens = list[tuple[str, str]]  # (word, Penn tag)

# (lower-cased word, tag) -> older words of the same tag
ARCHAIC: dict[tuple[str, str], tuple[str, ...]] = {
    ("you", "PRP"): ("thou", "thee", "ye"),
    ("your", "PRP$"): ("thy", "thine"),
    ("yours", "PRP"): ("thine",),
    ("yourself", "PRP"): ("thyself",),
    ("my", "PRP$"): ("mine",),
    ("them", "PRP"): ("'em",),
    ("it", "PRP"): ("'t",),
    ("has", "VBZ"): ("hath",),
    ("does", "VBZ"): ("doth",),
    ("says", "VBZ"): ("saith",),
    ("goes", "VBZ"): ("goeth",),
    ("are", "VBP"): ("art",),
    ("have", "VBP"): ("hast",),
    ("do", "VBP"): ("dost",),
    ("did", "VBD"): ("didst",),
    ("had", "VBD"): ("hadst",),
    ("were", "VBD"): ("wert", "wast"),
    ("will", "MD"): ("wilt", "shall", "shalt"),
    ("can", "MD"): ("canst",),
    ("could", "MD"): ("couldst",),
    ("would", "MD"): ("wouldst",),
    ("should", "MD"): ("shouldst",),
    ("over", "IN"): ("o'er",),
    ("before", "IN"): ("ere",),
    ("between", "IN"): ("betwixt",),
    ("among", "IN"): ("amongst",),
    ("while", "IN"): ("whilst",),
    ("on", "IN"): ("upon",),
    ("never", "RB"): ("ne'er",),
    ("ever", "RB"): ("e'er",),
    ("often", "RB"): ("oft",),
    ("maybe", "RB"): ("perchance", "mayhap"),
    ("perhaps", "RB"): ("perchance", "haply"),
    ("here", "RB"): ("hither",),
    ("there", "RB"): ("thither", "yonder"),
    ("where", "WRB"): ("whither", "whence"),
    ("why", "WRB"): ("wherefore",),
    ("yes", "UH"): ("yea", "aye", "ay"),
    ("no", "UH"): ("nay",),
    ("oh", "UH"): ("o", "ah", "alas", "pshaw"),
    ("mr.", "NNP"): ("sir", "master"),
}
_TITLES = {"sir": "Sir", "master": "Master"}


def _recase(word: str, model: str) -> str:
    return word.capitalize() if model[:1].isupper() and word[:1].isalpha() else word


def archaic(tokens: Tokens) -> Tokens:
    """Replace half of the words that have an older equivalent with the same tag."""
    result = []
    for word, tag in tokens:
        older = ARCHAIC.get((word.lower(), tag))
        if older and random.random() < 0.5:
            choice = random.choice(older)
            word = _TITLES.get(choice, _recase(choice, word))
        result.append((word, tag))
    return result


def dashes(tokens: Tokens) -> Tokens:
    """Write hyphens used as dashes, and one comma in eight, as ``--``."""
    result = []
    for word, tag in tokens:
        if (word in ("-", "--") and tag in (",", ":", "NFP")) or (
            word == "," and random.random() < 0.125
        ):
            result.append(("--", ","))
        else:
            result.append((word, tag))
    return result


def requote(tokens: Tokens) -> Tokens:
    """Make double quotes single, or add an opening and (three times in four) a closing quote."""
    if any(tag in ("``", "''") for _, tag in tokens):
        return [("'" if tag in ("``", "''") else word, tag) for word, tag in tokens]
    mark = '"' if random.random() < 0.7 else "'"
    opened = [(mark, "``"), *tokens] if random.random() < 0.8 else tokens
    return [*opened, (mark, "''")] if random.random() < 0.75 else opened


def unfinished(tokens: Tokens) -> Tokens:
    """Drop the final punctuation mark, as in cut lines and headings."""
    return tokens[:-1] if len(tokens) > 1 and tokens[-1][1] == "." else tokens


def whole_hyphenated(tokens: Tokens) -> Tokens:
    """``well - known`` as one token: an adjective before a noun or adjective, else tagged as its
    last part.
    """
    result = list(tokens)
    index = 1
    while index < len(result) - 1:
        if result[index] == ("-", "HYPH") and random.random() < 0.7:
            (left, _), (right, tag) = result[index - 1], result[index + 1]
            following = result[index + 2][1] if index + 2 < len(result) else ""
            if following in ("NN", "NNS", "JJ") and tag in (
                "NN",
                "VBN",
                "VBG",
                "VBD",
                "CD",
                "RB",
                "JJ",
            ):
                tag = "JJ"
            result[index - 1 : index + 2] = [(f"{left}-{right}", tag)]
        else:
            index += 1
    return result


def upper(tokens: Tokens) -> Tokens:
    return [(word.upper(), tag) for word, tag in tokens]


def lower(tokens: Tokens) -> Tokens:
    return [(word.lower(), tag) for word, tag in tokens]


def upper_word(tokens: Tokens) -> Tokens:
    """Put one word in capitals, as books print emphasis."""
    index = random.randrange(len(tokens))
    word, tag = tokens[index]
    return [*tokens[:index], (word.upper(), tag), *tokens[index + 1 :]]


# (rewrite, its share of sentences in an epoch); independent of each other
REWRITES: tuple[tuple[Callable[[Tokens], Tokens], float], ...] = (
    (whole_hyphenated, 0.25),
    (archaic, 0.12),
    (dashes, 0.2),
    (requote, 0.1),
    (unfinished, 0.08),
    (upper_word, 0.04),
    (upper, 0.04),
    (lower, 0.04),
)


@spacy.registry.augmenters("cloze_gen.books.v1")  # type: ignore[untyped-decorator]
def create_book_augmenter(strength: float) -> Callable[[Language, Example], Iterator[Example]]:
    """spaCy augmenter; `strength` scales every share. Uses `random`, which spaCy seeds from
    `training.seed`.
    """

    def augment(nlp: Language, example: Example) -> Iterator[Example]:
        original = [(token.text, token.tag_) for token in example.reference]
        tokens = original
        for rewrite, share in REWRITES:
            if random.random() < share * strength:
                tokens = rewrite(tokens)
        if tokens is original:
            yield example
            return
        words, tags = [word for word, _ in tokens], [tag for _, tag in tokens]
        yield Example(Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=words, tags=tags))

    return augment
