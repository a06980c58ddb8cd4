"""Closed lists of words and marks. Abbreviations are without their stop, `TOKEN_ABBREVIATIONS` aside.
Names (``Tom.``) are left out: most of their stops end sentences.
"""

from __future__ import annotations

from enum import IntEnum

from cloze_gen.word_tokens import is_word

QUOTATION_MARKS = frozenset({'"', "'", "``", "''", "`"})
# Marks after which a capital is no evidence of a name: a sentence or quotation begins.
OPENERS = frozenset({'"', "'", "``", "`", "(", "[", "--", ":"})
FINAL_MARKS = frozenset(".?!")
DASHES = frozenset({"--", "-", "---", "----", "\u2014", "\u2013"})

# A name always follows: such a stop never ends a sentence.
TITLES = frozenset(
    """Mr Mrs Ms Dr Messrs Mdme Mdlle Mlles Mme Mlle Mmes Mons Mgr Capt Captn Col Gen Genl Lieut Lt
    Sergt Sgt Corp Maj Cmdr Adm Rev Revd
    Hon Prof Pres Gov Sen Rep Supt Insp Mt""".split()
)

FOLDED_TITLES = frozenset(title.casefold() for title in TITLES)

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

# Tokens with their stop; titles in capitals too, as before a name in capitals.
TOKEN_ABBREVIATIONS = tuple(
    sorted(f"{word}." for word in {*TITLES, *map(str.upper, TITLES), *PERHAPS_FINAL})
)

# Words that are far more frequent at a sentence start than after an abbreviation.
STARTERS = frozenset(
    """The He She It They We You I But And In At On Then There This That These Those His Her Their
    My Our Your Its As If When What Who Why
    How Where While After Before So For Now No Yes Not Oh Ah Well Yet Nor Or By With From To A An
    All One Here Such Some Every Many Both
    Upon Let Do Did Is Was Were Are Have Has Had Will Would Shall Should Can Could May Might Though
    Although Since Until Never""".split()
)

# Words in small letters that dictionaries of nouns, verbs, adjectives and adverbs lack.
CLOSED_CLASS = frozenset(
    """the a an and or but nor for yet so if than that as because although though unless until till
    while whilst whereas whether lest except save albeit since once ere whenever wherever whereby
    wherein whereof whereon whereupon wherewith whoever whomever whatever whichever whichsoever
    whatsoever whosoever whence whither hither thither thence hence hereby herein hereafter therein
    thereof thereon thereby thereupon therewith therefore thereat moreover nevertheless nonetheless
    inasmuch notwithstanding about above across after against along alongside amid amidst among
    amongst around at atop before behind below beneath beside besides between betwixt beyond by
    despite down during from in inside into like near of off on onto opposite out outside over past
    per round through throughout to toward towards under underneath unlike up upon versus via with
    within without unto afore anent i me my mine myself you your yours yourself yourselves he him
    his himself she her hers herself it its itself we us our ours ourselves they them their theirs
    themselves thou thee thy thine thyself ye oneself who whom whose which what this these those
    each every either neither some any no none all both few many much more most several another
    other others such one two three four five six seven eight nine ten eleven twelve thirteen
    fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy
    eighty ninety hundred thousand million first second third fourth fifth sixth seventh eighth
    ninth tenth eleventh twelfth twentieth anyone someone everyone anybody somebody everybody
    nobody anything something everything nothing am is are was were be been being has have had
    having do does did done hath hast hadst doth dost didst art wert wast shalt wilt wouldst couldst
    shouldst canst mayst mightst must shall should will would can could may might ought durst saith
    quoth spake methinks ca wo sha ai ain gonna gotta wanna gimme lemme kinda sorta dunno outta
    cannot not never ever here there where when why how then now thus too also else again just only
    even still quite rather very perhaps maybe somehow somewhere anywhere everywhere nowhere anyway
    anyhow meanwhile forth forthwith withal anon alas ah aha aw ay aye bah duh eh er erm gee ha
    haha hah heh hello hey hi hm hmm hmmm ho huh hurrah lo mm mmm nah nope oh ok okay oops ooh ouch
    ow pah phew please pooh pshaw sh shh tut uh uhm um ugh well whoa wow yah yeah yep yes yo""".split()
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
    "each another both all one two three "
    "me him them us it you himself herself themselves myself itself yourself ourselves "
    "nothing something anything everything",
    After.CLAUSE: "that how what whether why which who where",
    After.CLOSED: f"{_PREPOSITIONS} to out away back up down off along aside forward together if "
    "when while because until till then so not never",
    After.FINITE: "is are was were am had has have would could should will may might must shall "
    "can did do does i he she we they",
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
