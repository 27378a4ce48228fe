"""What the stories of pipelines share: starting and changing a run, its steps, its cards, and its outputs."""
