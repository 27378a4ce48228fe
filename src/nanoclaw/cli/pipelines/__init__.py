"""The commands about pipelines."""
