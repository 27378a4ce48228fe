"""What the story of analyses shares: documents that come back from other runtimes, matched, read, merged, undone."""
