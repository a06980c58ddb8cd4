"""Abbreviations that keep their full stop, and whether the stop may also end a sentence.

Shared by the sentence splitter and the tokenizer, so that a stop the one reads as an abbreviation's the other never splits off.
Words that are also ordinary English or common names (``chap.``, ``no.``, ``art.``, ``sat.``, ``Tom.``, ``Tex.``) are no abbreviations
for the tokenizer: most of their stops end sentences.
"""

from __future__ import annotations

# A name always follows: such a stop never ends a sentence.
TITLES = frozenset(
    """Mr Mrs Ms Dr Messrs Mdme Mdlle Mlles Mme Mlle Mmes Mons Mgr Capt Captn Col Gen Genl Lieut Lt Sergt Sgt Corp Maj Cmdr Adm Rev Revd
    Hon Prof Pres Gov Sen Rep Supt Insp Mt""".split()
)

# May end a sentence: the next word decides.
PERHAPS_FINAL = frozenset(
    """St Sts Esq Esqr Bart Bt Ft Jr Sr Co Bros Ltd Inc etc Etc viz Viz vs i.e e.g I.e E.g a.m p.m A.M P.M B.C A.D U.S U.S.A D.C N.Y N.B
    P.S Ph.D M.D B.A M.A M.P K.C.B &c ult prox Blvd Dept Hist Vol Vols vol vols Chap Chaps Epist Ep Orat Antiq Jan Feb Aug Sept Oct Nov
    Dec Ibid ibid cf Cf pp Pp seq Wm Chas Geo Jas Jno Thos Robt Benj Saml Edw Eccl Deut Exod Levit Isa Ezek Prov Cor Thess Heb Conn Ky
    Tenn Fla Mich Wis Minn Calif Ont""".split()
)

# Numbered things: the stop belongs to them only before a number.
BEFORE_NUMBER = frozenset(
    """No Nos no nos Art art Fig fig Figs Sec sec Sect sect Vol vol Chap chap Bk bk Par par Page p pp l ll c n v vv ver Ver cap Cap lib
    Lib Jan Feb Mar Apr Jun Jul Aug Sept Sep Oct Nov Dec""".split()
)

# Whole in the token list, with their stop.
TOKEN_ABBREVIATIONS = tuple(sorted(f"{word}." for word in TITLES | PERHAPS_FINAL))

# Words that begin a sentence far more often than they follow an abbreviation.
STARTERS = frozenset(
    """The He She It They We You I But And In At On Then There This That These Those His Her Their My Our Your Its As If When What Who Why
    How Where While After Before So For Now No Yes Not Oh Ah Well Yet Nor Or By With From To A An All One Here Such Some Every Many Both
    Upon Let Do Did Is Was Were Are Have Has Had Will Would Shall Should Can Could May Might Though Although Since Until Never""".split()
)
