"""Below flow I: batches."""
