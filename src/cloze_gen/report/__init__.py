"""What a run shows: the funnel, tables, the dataset card. Pure: records in, text out."""
