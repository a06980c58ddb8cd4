"""The recipe of Argouarc'h 2018, A new Sentence Completion Set of 6000 questions: `scs-style`."""
