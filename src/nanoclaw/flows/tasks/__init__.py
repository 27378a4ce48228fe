"""What the stories of tasks share: creating and changing a task, starting and ending its runs, and its texts."""
