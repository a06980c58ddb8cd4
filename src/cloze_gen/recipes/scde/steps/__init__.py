"""The steps of Kong, Gangal & Hovy 2020, sections 3.2 and 5.7, a file each: plain values in, plain values out."""
