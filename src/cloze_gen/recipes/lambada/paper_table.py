"""The figures of Paperno et al. 2016, Table 1, for the report."""

from __future__ import annotations

from cloze_gen.release.paper_figures import PassageFigure, PassageTable, SetFigures

# Model; our baseline; accuracy, perplexity and median rank on LAMBADA; the same on the control set.
_FIGURES = """
Random vocabulary word    ; random vocabulary word ; 0    ; 60000; 30026; 0    ; 60000; 30453
Random word of the passage; random word            ; 0.016;      ;      ; 0    ;      ;
Random capitalised word   ; random capitalised word; 0.07 ;      ;      ; 0    ;      ;
Unsupervised CBOW         ;                        ; 0    ; 57040; 16352; 0    ; 55190; 12950
Supervised CBOW           ;                        ; 0    ; 47587;  4660;      ;  2344;   259
N-gram                    ; n-gram                 ; 0.001;  3125;   993; 0.191;   285;    17
N-gram with cache         ; n-gram + cache         ; 0.001;   768;    87; 0.191;   270;    18
RNN                       ;                        ; 0    ; 14725;  7831; 0.154;   277;    24
LSTM                      ; recurrent              ; 0    ;  5357;   324; 0.219;   149;    12
Memory network            ;                        ; 0    ; 16318;   846;      ;   566;    46
"""


def _figure(line: str) -> PassageFigure:
    label, baseline, *cells = [cell.strip() for cell in line.split(";")]
    figures = [float(cell) if cell else None for cell in cells]
    return PassageFigure(label, baseline, SetFigures(*figures[:3]), SetFigures(*figures[3:]))


LAMBADA_TABLE_1 = PassageTable(
    "Paperno et al. 2016, Table 1", tuple(map(_figure, _FIGURES.strip().splitlines()))
)
