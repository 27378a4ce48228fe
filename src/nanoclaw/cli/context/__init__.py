"""The commands about a company's context."""
