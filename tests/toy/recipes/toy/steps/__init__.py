"""The steps of the toy recipe."""
