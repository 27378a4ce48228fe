"""The client of the host's HTTP API, for the command line and for programs on this machine."""
