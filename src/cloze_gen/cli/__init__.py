"""The command line: declarations in `app` and `judge`, one module a group of commands."""
