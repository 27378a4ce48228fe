"""Flow C: one agent hands work over to another. The parts of the story in `flows/handoff.py`."""
