"""The commands about batches."""
