"""Parts of flow G's meeting with the git remote: what is taken, what waits, and what is reported."""
