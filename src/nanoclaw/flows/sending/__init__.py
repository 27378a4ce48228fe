"""What agents send from their boxes to people."""
