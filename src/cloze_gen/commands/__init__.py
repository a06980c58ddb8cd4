"""What the command line calls, a file a command; all printing of results ends here."""
