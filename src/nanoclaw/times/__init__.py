"""Times in people's words: when something is due, until when it holds, how often it comes, and when it is quiet."""
