"""What the items of a set are, a file a shape: how they are read, told and published."""
