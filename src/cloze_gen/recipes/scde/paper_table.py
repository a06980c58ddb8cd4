"""The figures of Kong et al. 2020, for the report."""

from __future__ import annotations

from cloze_gen.release.paper_figures import BlankFigure, BlankTable

# Model; context; decoder; BA and PA in percent; distractor error; distractors; our baseline; table.
# Of the row "BERT, as it is" in Table 7, Table 6 has the figures with teachers' distractors for P+N
# (and N), not for AP+AN.
_FIGURES = """
People                  ;      ;    ; 87.1; 56.3; 0.375; own   ; human ; Tables 5 and 9
Transformer-XL          ; AP+AN; EXH; 32.3;  2.6;      ; own   ;       ; Table 5
PMI_2, as Table 5 has it; AP+AN; EXH; 29.8;  8.4;      ; own   ; pmi-2 ; Table 5
COHERE                  ; AP+AN; EXH; 23.3;  1.1;      ; own   ;       ; Table 5
INFST                   ; AP+AN; EXH; 55.8; 18.4;      ; own   ;       ; Table 5
BERT, as it is          ; P    ; INC; 33.0;  2.1;      ; own   ;       ; Table 6
BERT, as it is          ; N    ; INC; 34.7;  4.1;      ; own   ;       ; Table 6
BERT, as it is          ; AP   ; INC; 29.8;  2.1;      ; own   ;       ; Table 6
BERT, as it is          ; AN   ; INC; 15.7;  0.3;      ; own   ;       ; Table 6
BERT, as it is          ; P+N  ; INC; 34.7;  2.3;      ; own   ;       ; Table 6
BERT, as it is          ; AP+AN; INC; 27.3;  1.4;      ; own   ;       ; Table 6
BERT, as it is          ; P    ; EXH; 34.2;  3.2;      ; own   ;       ; Table 6
BERT, as it is          ; N    ; EXH; 40.2;  4.7;      ; own   ;       ; Table 6
BERT, as it is          ; AP   ; EXH; 31.5;  2.6;      ; own   ;       ; Table 6
BERT, as it is          ; AN   ; EXH; 14.7;  0.0;      ; own   ;       ; Table 6
BERT, as it is          ; P+N  ; EXH; 40.2;  4.7;      ; own   ;       ; Table 6
BERT, as it is          ; AP+AN; EXH; 36.9;  3.5;      ; own   ;       ; Table 6
BERT, finetuned         ; P    ; INC; 44.3;  6.8;      ; own   ;       ; Table 6
BERT, finetuned         ; N    ; INC; 48.0;  9.6;      ; own   ;       ; Table 6
BERT, finetuned         ; AP   ; INC; 50.4;  9.9;      ; own   ;       ; Table 6
BERT, finetuned         ; AN   ; INC; 56.9; 16.1;      ; own   ;       ; Table 6
BERT, finetuned         ; P+N  ; INC; 61.0; 20.4;      ; own   ;       ; Table 6
BERT, finetuned         ; AP+AN; INC; 66.6; 25.1;      ; own   ;       ; Table 6
BERT, finetuned         ; P    ; EXH; 47.2;  8.5;      ; own   ;       ; Table 6
BERT, finetuned         ; N    ; EXH; 54.2; 11.2;      ; own   ;       ; Table 6
BERT, finetuned         ; AP   ; EXH; 60.0; 17.5;      ; own   ;       ; Table 6
BERT, finetuned         ; AN   ; EXH; 60.0; 17.5;      ; own   ;       ; Table 6
BERT, finetuned         ; P+N  ; EXH; 66.5; 25.2;      ; own   ;       ; Table 6
BERT, finetuned         ; AP+AN; EXH; 71.7; 29.9; 0.661; own   ;       ; Tables 6 and 9
PMI_2                   ; P    ; INC; 23.4;  1.2;      ; own   ; pmi-2 ; Table 6
PMI_2                   ; N    ; INC; 24.4;  1.5;      ; own   ; pmi-2 ; Table 6
PMI_2                   ; AP   ; INC; 16.2;  0.3;      ; own   ; pmi-2 ; Table 6
PMI_2                   ; AN   ; INC; 17.5;  0.1;      ; own   ; pmi-2 ; Table 6
PMI_2                   ; P+N  ; INC; 26.2;  1.7;      ; own   ; pmi-2 ; Table 6
PMI_2                   ; AP+AN; INC; 17.1;  0.0;      ; own   ; pmi-2 ; Table 6
PMI_2                   ; P    ; EXH; 24.7;  1.5;      ; own   ; pmi-2 ; Table 6
PMI_2                   ; N    ; EXH; 28.2;  1.5;      ; own   ; pmi-2 ; Table 6
PMI_2                   ; AP   ; EXH; 20.6;  0.9;      ; own   ; pmi-2 ; Table 6
PMI_2                   ; AN   ; EXH; 13.3;  0.0;      ; own   ; pmi-2 ; Table 6
PMI_2                   ; P+N  ; EXH; 29.7;  2.6;      ; own   ; pmi-2 ; Table 6
PMI_2                   ; AP+AN; EXH; 25.2;  0.6; 1.204; own   ; pmi-2 ; Tables 6 and 9
BERT, as it is          ; P+N  ; EXH; 47.4; 17.2;      ; none  ;       ; Table 7
BERT, as it is          ; P+N  ; EXH; 44.6; 12.4;      ; random;       ; Table 7
Transformer-XL          ; AP+AN; EXH; 39.7;  9.1;      ; none  ;       ; Table 7
Transformer-XL          ; AP+AN; EXH; 36.0;  6.8;      ; random;       ; Table 7
BERT, finetuned         ; AP+AN; EXH; 80.9; 62.0;      ; none  ;       ; Table 7
BERT, finetuned         ; AP+AN; EXH; 77.9; 50.9;      ; random;       ; Table 7
Uniform                 ;      ;    ;     ;     ; 1.429; own   ; random; Table 9
"""


def _figure(line: str) -> BlankFigure:
    cells = [cell.strip() for cell in line.split(";")]
    label, context, decoder, ba, pa, error, distractors, baseline, table = cells
    return BlankFigure(
        label,
        context,
        decoder,
        float(ba) / 100 if ba else None,
        float(pa) / 100 if pa else None,
        float(error) if error else None,
        distractors,
        baseline,
        table,
    )


SCDE_TABLES = BlankTable(
    "Kong et al. 2020, Tables 5, 6, 7 and 9", tuple(map(_figure, _FIGURES.strip().splitlines()))
)
