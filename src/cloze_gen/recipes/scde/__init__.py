"""The recipe of Kong, Gangal & Hovy 2020, SCDE: Sentence Cloze Dataset with High Quality Distractors From Examinations: `scde-style`."""
