"""The running host: settings, workspace, and the wiring that puts all the parts together."""
