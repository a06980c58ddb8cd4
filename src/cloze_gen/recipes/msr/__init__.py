"""The recipe of the MSR Sentence Completion Challenge (Zweig & Burges 2011): one module a step.

Words of this recipe:

- A *focus word* is a rare word of a source sentence that may become the blank: the *answer*. A focus
  word in its sentence is an *item*; its id is ``book:sentence:position``.
- *Alternates* are the 150 words that the n-gram model offers for an item. The 30 with the best
  forward score are *retained*: they are the *candidates*.
- Grooming gives every candidate a *verdict*. One without a fault is *fit*.
- A *draw* is a set of four fit candidates, the *impostors*. The *options* of a question are the
  answer and one draw.
- The *history* is the two tokens before the blank. Scores are log10 probabilities.
"""
