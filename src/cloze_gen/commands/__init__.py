"""What the commands do; `cli` says what a user types, and shows what those give back that print nothing themselves."""
