"""Abbreviations that keep their stop, for splitter and tokenizer alike. Ordinary words and names
(``no.``, ``art.``, ``Tom.``) are left out: most of their stops end sentences.
"""

from __future__ import annotations

from enum import IntEnum

from cloze_gen.word_tokens import is_word

# A name always follows: such a stop never ends a sentence.
TITLES = frozenset(
    """Mr Mrs Ms Dr Messrs Mdme Mdlle Mlles Mme Mlle Mmes Mons Mgr Capt Captn Col Gen Genl Lieut Lt
    Sergt Sgt Corp Maj Cmdr Adm Rev Revd
    Hon Prof Pres Gov Sen Rep Supt Insp Mt""".split()
)

# May end a sentence: the next word decides.
PERHAPS_FINAL = frozenset(
    """St Sts Esq Esqr Bart Bt Ft Jr Sr Co Bros Ltd Inc etc Etc viz Viz vs i.e e.g I.e E.g a.m p.m
    A.M P.M B.C A.D U.S U.S.A D.C N.Y N.B
    P.S Ph.D M.D B.A M.A M.P K.C.B &c ult prox Blvd Dept Hist Vol Vols vol vols Chap Chaps Epist Ep
    Orat Antiq Jan Feb Aug Sept Oct Nov
    Dec Ibid ibid cf Cf pp Pp seq Wm Chas Geo Jas Jno Thos Robt Benj Saml Edw Eccl Deut Exod Levit
    Isa Ezek Prov Cor Thess Heb Conn Ky
    Tenn Fla Mich Wis Minn Calif Ont""".split()
)

# Numbered things: the stop belongs to them only before a number.
BEFORE_NUMBER = frozenset(
    """No Nos no nos Art art Fig fig Figs Sec sec Sect sect Vol vol Chap chap Bk bk Par par Page p
    pp l ll c n v vv ver Ver cap Cap lib
    Lib Jan Feb Mar Apr Jun Jul Aug Sept Sep Oct Nov Dec""".split()
)

# Tokens with their stop.
TOKEN_ABBREVIATIONS = tuple(sorted(f"{word}." for word in TITLES | PERHAPS_FINAL))

# Words that are far more frequent at a sentence start than after an abbreviation.
STARTERS = frozenset(
    """The He She It They We You I But And In At On Then There This That These Those His Her Their
    My Our Your Its As If When What Who Why
    How Where While After Before So For Now No Yes Not Oh Ah Well Yet Nor Or By With From To A An
    All One Here Such Some Every Many Both
    Upon Let Do Did Is Was Were Are Have Has Had Will Would Shall Should Can Could May Might Though
    Although Since Until Never""".split()
)


# ---- kinds of closed-class words before and after a word (Brent 1993; Manning 1993)


class Before(IntEnum):
    """Kinds of tokens before a word. After `BARE` a noun has no determiner."""

    OTHER = 0
    SUBJECT = 1
    HAVE = 2
    BE = 3
    INFINITIVE = 4
    ARTICLE = 5
    DETERMINER = 6
    BARE = 7


class After(IntEnum):
    """Kinds of tokens after a word. `OPEN` is any word not listed."""

    OPEN = 0
    OBJECT = 1
    CLAUSE = 2
    CLOSED = 3
    FINITE = 4


_PREPOSITIONS = (
    "of in with for from by on upon at into through without under over among near behind "
    "before after across beside between within "
    "beneath above below against during towards toward about round around past onto like than "
    "as and or but nor"
)
_BEFORE = {
    Before.SUBJECT: "i he she we they who you it which there",
    Before.HAVE: "had has have having 've",
    Before.BE: "was were is are be been being am 's 're 'm he's she's it's that's there's who's "
    "what's",
    Before.INFINITIVE: "would could should will may might must shall can did do does to not n't "
    "'ll cannot let",
    Before.ARTICLE: "a an another each every one",
    Before.DETERMINER: "the this that my his her our your their its no some any what",
    Before.BARE: _PREPOSITIONS,
}
_AFTER = {
    After.OBJECT: "the a an this these those my his her our your their its no any some every "
    "each another "
    "both all one two three "
    "me him them us it you himself herself themselves myself itself yourself ourselves "
    "nothing something anything everything",
    After.CLAUSE: "that how what whether why which who where",
    After.CLOSED: f"{_PREPOSITIONS} to out away back up down off along aside forward together if "
    "when while "
    ""
    "because until till then so not "
    "never",
    After.FINITE: "is are was were am had has have would could should will may might must shall "
    "can did do "
    "does i he she we they",
}
_BEFORE_OF = {word: kind for kind, words in _BEFORE.items() for word in words.split()}
_AFTER_OF = {word: kind for kind, words in _AFTER.items() for word in words.split()}


def before(token: str) -> Before:
    """The kind of a token before a word; a possessive is a determiner.

    >>> [before(token).name for token in ("She", "been", "Watson's", "with", "lamp")]
    ['SUBJECT', 'BE', 'DETERMINER', 'BARE', 'OTHER']
    """
    folded = token.casefold()
    if not is_word(token):
        return Before.BARE
    return _BEFORE_OF.get(
        folded, Before.DETERMINER if folded.endswith(("'s", "s'")) else Before.OTHER
    )


def after(token: str) -> After:
    """The kind of a token after a word; marks are `CLOSED`.

    >>> [after(token).name for token in ("him", ",", "upon", "was", "lamp")]
    ['OBJECT', 'CLOSED', 'CLOSED', 'FINITE', 'OPEN']
    """
    return _AFTER_OF.get(token.casefold(), After.OPEN) if is_word(token) else After.CLOSED
