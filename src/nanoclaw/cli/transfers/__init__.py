"""The commands about transfers."""
