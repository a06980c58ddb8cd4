"""A wing for each paper: its steps as pure functions, and the stages that run them over a corpus. No wing knows another."""
