"""The recipe of Paperno et al. 2016, The LAMBADA dataset: `lambada-style`."""
