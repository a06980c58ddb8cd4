"""The recipe of Zweig & Burges 2011, the MSR Sentence Completion Challenge (MSR-TR-2011-129): `holmes-style`."""
