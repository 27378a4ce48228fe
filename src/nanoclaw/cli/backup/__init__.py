"""The commands about backups: make, verify, list, restore."""
