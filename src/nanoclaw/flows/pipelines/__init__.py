"""Below the story of pipelines: what people are shown, and what changes a run."""
