"""Runs in a sandbox: boxes that an agent's hands are in, and the files through which it asks the host for something."""
