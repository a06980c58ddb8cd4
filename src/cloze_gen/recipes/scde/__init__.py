"""The recipe of Kong, Gangal & Hovy 2020, SCDE (Sentence Cloze Dataset ... From Examinations)."""
