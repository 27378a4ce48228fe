"""What the stories of asking people share: who decides, the cards, what is told to whoever asked."""
