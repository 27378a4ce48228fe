"""Every model call leaves here: it is priced, limited, metered, and given the key. And the way out to the world."""
