"""The workspace as a git repository: commits, merges and the remote, by the real git."""
