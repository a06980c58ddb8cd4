"""The steps of Kong et al. 2020 a file each: plain values in, plain values out."""
