"""The one place that knows what a secret looks like."""
