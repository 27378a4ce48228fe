"""What the story of a batch is made of: what is wanted, its topics and prompts, its check, and what becomes of its texts."""
