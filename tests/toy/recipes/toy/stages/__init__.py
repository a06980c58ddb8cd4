"""The stages of the toy recipe."""
