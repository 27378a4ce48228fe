"""What runs inside the box. Standard library only; knows nothing of the host but files and sockets."""
