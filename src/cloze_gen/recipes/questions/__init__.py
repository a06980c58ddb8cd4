"""What recipes whose items are questions have in common: where the answer stands, and that no sentence is printed twice."""
