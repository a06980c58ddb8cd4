"""The steps of Kong, Gangal & Hovy 2020 over a corpus: each reads artifacts, maps its step over shards and writes one artifact."""
