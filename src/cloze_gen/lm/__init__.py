"""Language models as the core sees them: a protocol, the forward index, the ARPA text format."""
