"""One package a recipe, one module a step of its paper. No recipe imports another."""
