"""Models of the training text: the language model, its forward index, the context space."""
