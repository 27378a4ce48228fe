"""Flow B. What a session takes along to another runtime, and how it gets there."""
