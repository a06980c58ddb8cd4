"""The steps of MSR over a corpus: each reads artifacts, maps its step over shards and writes one artifact."""
