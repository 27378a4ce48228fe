"""What the story of a batch is made of: a wish, topics, prompts, results, their check, their use."""
