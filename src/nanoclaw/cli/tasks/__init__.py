"""The commands about tasks."""
