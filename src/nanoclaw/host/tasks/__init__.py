"""Tasks for the page and the command line, in the name of whoever holds this machine."""
