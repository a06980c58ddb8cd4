"""The recipe of Zweig & Burges 2011, MSR Sentence Completion Challenge (MSR-TR-2011-129)."""
