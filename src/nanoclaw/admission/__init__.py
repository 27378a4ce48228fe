"""Is admitted: who may speak, to whom, and which orders they may give."""
