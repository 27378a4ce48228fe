"""A message arrives on a channel, and its answer is delivered there. A new channel is one file."""
