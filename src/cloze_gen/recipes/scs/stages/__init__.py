"""The steps of Argouarc'h 2018 over a corpus: each reads artifacts, maps its step over shards and writes one artifact."""
