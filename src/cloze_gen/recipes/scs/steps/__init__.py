"""The steps of Argouarc'h 2018, sections 2 and 3, a file each: plain values in, plain values out."""
