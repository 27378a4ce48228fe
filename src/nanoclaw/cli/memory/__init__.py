"""The commands about what companies know."""
