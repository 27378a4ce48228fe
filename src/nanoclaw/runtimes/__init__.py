"""Runtimes: the ways to run a turn."""
