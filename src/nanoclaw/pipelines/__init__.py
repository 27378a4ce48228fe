"""Pipelines: the language of their templates, and what can be said about one before it runs."""
