"""Records to published files and back, pure: text in, text out, no file is opened here."""
