"""What a company knows: files in git that people can read and edit, and an index that finds the right lines."""
