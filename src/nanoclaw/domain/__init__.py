"""The words: what the other packages speak about. Imports nothing of ours."""
