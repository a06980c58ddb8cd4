"""The steps of the papers, one file a step, its settings on top. A step never imports another step."""
