"""The release: the files to publish, what they say of themselves, and how a stranger checks them."""
