"""And its answer is delivered: the outbox, the preview while it is written, and who is watching."""
