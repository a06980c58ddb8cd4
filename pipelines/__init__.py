"""Luigi: one file a dataset style, read top to bottom = the DAG."""
