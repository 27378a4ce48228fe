"""What an agent knows: foundation, company, skill, memory, and the messages it is given."""
