"""The steps of Kong, Gangal & Hovy 2020, a file each, and what is ours beside them: plain values in, plain values out."""
