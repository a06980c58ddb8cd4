"""The recipe of Kong, Gangal & Hovy 2020, SCDE: `scde-style`."""
