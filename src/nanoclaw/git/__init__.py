"""The workspace as a git repository: commits, merges and the remote, using the real git."""
