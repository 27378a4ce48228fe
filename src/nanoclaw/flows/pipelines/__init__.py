"""What the story of a pipeline is made of: how runs are started, changed, moved on and ended."""
