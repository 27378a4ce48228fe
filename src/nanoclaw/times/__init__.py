"""Times in people's words: when something is due, until when it holds, how often it repeats, and when it is quiet."""
