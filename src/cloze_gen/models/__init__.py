"""Models of text: n-grams and their index, word vectors, neural networks."""
