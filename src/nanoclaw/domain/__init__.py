"""The words: what the other rooms speak about. Imports nothing of ours."""
