"""Map a function over shards: in this process, over local processes, or over a Dask cluster."""
