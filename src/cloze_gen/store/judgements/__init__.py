"""Studies on disk: what is asked, who is let in, and every verdict, in a database that only grows."""
