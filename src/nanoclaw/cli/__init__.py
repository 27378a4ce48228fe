"""What a person types: commands, the chat in a terminal, and the lines they print."""
