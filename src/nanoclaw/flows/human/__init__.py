"""What the stories of asking people share: deciders, cards, and what the asker is told."""
