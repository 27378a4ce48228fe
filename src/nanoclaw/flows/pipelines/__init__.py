"""The parts of the pipeline story: how runs are started, changed, moved on and ended."""
