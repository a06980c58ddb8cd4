"""The steps of Paperno et al. 2016 over a corpus: each reads artifacts, maps its step over shards and writes one artifact."""
