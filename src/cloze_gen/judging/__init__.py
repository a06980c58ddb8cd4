"""Judgement by people: who is asked what, what they may say, how far they agree. Plain values in, plain values out."""
