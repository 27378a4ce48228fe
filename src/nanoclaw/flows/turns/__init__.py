"""What the story of a turn shares with those who start turns of their own."""
