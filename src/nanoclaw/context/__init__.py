"""What an agent knows: foundation, company, skill, memory, and its messages."""
