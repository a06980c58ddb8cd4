"""The steps of Paperno et al. 2016, section 3, a file each: plain values in, plain values out."""
