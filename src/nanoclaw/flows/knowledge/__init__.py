"""What the stories of memory share: changes, their rights, commands, tools."""
