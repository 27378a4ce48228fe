"""NanoClaw OS: a self-hosted host for AI agents that people and small companies can trust."""
