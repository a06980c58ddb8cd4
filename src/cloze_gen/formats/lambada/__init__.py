"""The published files of LAMBADA: plain text, vocabulary, harness tasks, and `passages.jsonl`."""
