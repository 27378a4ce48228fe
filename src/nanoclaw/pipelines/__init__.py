"""Pipelines: the language of their templates, and what can be said of one before it runs."""
