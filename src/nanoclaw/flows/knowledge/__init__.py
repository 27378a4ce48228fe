"""What the stories of memory and of a company's context share: changes, their rights, commands, tools."""
