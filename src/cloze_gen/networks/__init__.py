"""Neural language models in NumPy: a feed-forward and a recurrent one over a closed vocabulary, trained and asked the same way."""
