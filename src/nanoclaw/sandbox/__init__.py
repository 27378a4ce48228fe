"""Sandboxes: the boxes that agents' tools run in, and the files through which a box makes requests to the host."""
