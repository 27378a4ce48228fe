"""And its answer is delivered: what goes out, how it grows on the way, and who is watching."""
