"""The command line: commands, the chat in a terminal, and the lines they print."""
