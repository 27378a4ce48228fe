"""The commands about questions to people."""
