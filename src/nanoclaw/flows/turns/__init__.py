"""What the story of a turn shares with those that start their own turns."""
