"""A copy of everything a person owns, in one file, and the way back from it."""
