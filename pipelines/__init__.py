"""Luigi pipelines: one module per dataset style, which defines the style's DAG."""
