"""Interfaces to large libraries, programs and the terminal; no other package imports them."""
