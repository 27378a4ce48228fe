"""The only room that knows all the others: settings, workspace, wiring, command line."""
