"""Taking a session to another runtime, for its story in `flows/transfer.py` (flow B)."""
