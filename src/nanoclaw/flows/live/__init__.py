"""The working part of an interactive session: where a person works with an agent until they conclude."""
