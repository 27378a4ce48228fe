"""Is taken up by an agent: the ways to run a turn."""
