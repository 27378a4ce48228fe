"""What the stories of tasks share: how a task is made and changed, begins and ends a run, and is told of."""
