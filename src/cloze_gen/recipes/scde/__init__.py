"""The recipe of Kong, Gangal & Hovy 2020, SCDE: sentence cloze dataset with high quality distractors: `scde-style`."""
